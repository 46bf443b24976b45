"""A child program that draws pictures: their numbers come on standard input, each is echoed when drawn."""

from __future__ import annotations

import sys
from pathlib import Path

from visavis.demo.catalogue import draw_one
from visavis.errors import VisavisError


def main(folder: str, kind: str, seed: str) -> int:
    """Draw every number that is read."""
    try:
        for index in map(int, sys.stdin.read().split()):
            draw_one(Path(folder), kind, int(seed), index)
            print(index, flush=True)
    except VisavisError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
