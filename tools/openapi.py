"""Write the models of the server's OpenAPI schema, from which the types of the web app are generated.

python tools/openapi.py            # web/api-types/openapi.json
make web                           # this, then the types, then the app
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from visavis.server.app import create_app
from visavis.server.settings import ServerSettings

FILE = Path(__file__).resolve().parents[1] / "web" / "api-types" / "openapi.json"


def schema_text() -> str:
    """The models of the interface, without titles, examples and the package's version, which no type depends on."""
    with tempfile.TemporaryDirectory() as home:
        schema = create_app(ServerSettings.of(home)).openapi()
    models = {name: _plain(model) for name, model in schema["components"]["schemas"].items()}
    document = {
        "openapi": schema["openapi"],
        "info": {"title": "visavis", "version": ""},
        "paths": {},
        "components": {"schemas": models},
    }
    return json.dumps(document, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def _plain(model: dict[str, Any]) -> dict[str, Any]:
    properties = {
        name: {key: value for key, value in field.items() if key not in ("title", "examples")}
        for name, field in model.get("properties", {}).items()
    }
    kept = {key: value for key, value in model.items() if key != "title"}
    return kept | ({"properties": properties} if properties else {})


if __name__ == "__main__":
    FILE.write_text(schema_text(), encoding="utf-8")
