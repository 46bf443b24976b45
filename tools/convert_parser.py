"""Write exported parser weights of format 2 in the present one: ``python tools/convert_parser.py FOLDER``.

The bytes stay the same; the graph of the decoder is written anew. Needs the extra ``train``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from visavis.lab.networks.parser import ParserShape, read_shipped_parser
from visavis.lab.training.parser_export import write_decoder
from visavis.language.network import DECODER, DESCRIPTION, FORMAT


def convert(folder: Path) -> None:
    """Replace the decoder of a folder."""
    description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
    state, generated = read_shipped_parser(folder)
    weights = {name: value.numpy() for name, value in state.items()}
    shape = ParserShape(**description["shape"])
    write_decoder(weights, shape, generated.numpy(), folder / DECODER)
    description["format"] = FORMAT
    (folder / DESCRIPTION).write_text(json.dumps(description, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for given in sys.argv[1:]:
        convert(Path(given))
