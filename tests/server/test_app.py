"""What the description of the interface promises, asked with values nobody would think of."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

schemathesis = pytest.importorskip("schemathesis")

from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi.checks import (  # noqa: E402
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

_EXAMPLES = 6
#: Folders of the machine are nothing to ask at random.
_LEFT_OUT = ("/collections/{collection}/index", "/folders")


def _operations(schema):
    for result in schema.get_all_operations():
        operation = result.ok()
        if not operation.path.endswith(_LEFT_OUT):
            yield operation


def test_the_description_is_kept(keyed):
    """Every operation, asked by somebody who may write, so that nothing is deleted or indexed by chance."""
    schema = schemathesis.openapi.from_url(f"{keyed.url}/api/v1/openapi.json")
    headers = {"Authorization": f"Bearer {keyed.keys['write']}"}
    seen = 0
    for operation in _operations(schema):

        @settings(
            max_examples=_EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case):
            case.call_and_validate(
                headers=headers,
                checks=[
                    not_a_server_error,
                    status_code_conformance,
                    content_type_conformance,
                    response_schema_conformance,
                ],
            )

        ask()
        seen += 1
    assert seen >= 44


def test_the_description_has_examples_and_problems(keyed):
    with keyed.client("read") as client:
        told = client.get("/openapi.json").json()
    for path, operations in told["paths"].items():
        for method, operation in operations.items():
            assert operation.get("summary"), (method, path)
            assert operation.get("description"), (method, path)
            assert "429" in operation["responses"], (method, path)
    schemas = told["components"]["schemas"]
    assert schemas["MessageBody"]["properties"]["text"]["examples"]
    assert schemas["TurnModel"]["properties"]["commands"]["examples"]


def test_the_types_of_the_web_app_are_current():
    file = Path(__file__).parents[2] / "tools" / "openapi.py"
    tool = runpy.run_path(str(file))
    assert tool["FILE"].read_text(encoding="utf-8") == tool["schema_text"](), "the models changed: run `make web`"
