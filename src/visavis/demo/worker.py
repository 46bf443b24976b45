"""A child program that draws pictures: reads their numbers from standard input, and echoes each when drawn."""

from __future__ import annotations

import sys
from pathlib import Path

from visavis.demo.catalogue import draw_file
from visavis.errors import VisavisError


def main(folder: str, kind: str, seed: str) -> int:
    """Draw every number that is read."""
    try:
        for number in map(int, sys.stdin.read().split()):
            draw_file(Path(folder), kind, int(seed), number)
            print(number, flush=True)
    except VisavisError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
