"""How much the grammar is worth: rows of talk read inside it, and with any piece allowed at every step.

python tools/open_decoding.py corpus/z.jsonl [--weights DIR]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from unittest.mock import patch

from visavis.lab.datasets.talk import read_rows
from visavis.lab.evaluation.talk import score_talk
from visavis.language import parser
from visavis.language.parser import NetworkParser


class OpenGrammar:
    """Allows everything; what is no command afterwards is no reading."""

    def __init__(self, *_given: object, **_more: object) -> None:
        pass

    def start(self) -> tuple[()]:
        """One state for all."""
        return ()

    def step(self, _state: object, _piece: int) -> tuple[()]:
        """Every piece may follow."""
        return ()

    def ends(self, _state: object) -> bool:
        """It may end anywhere."""
        return True


WAYS = (("grammar", parser.Grammar, 5), ("open", OpenGrammar, 5), ("open, greedy", OpenGrammar, 1))


def main() -> None:
    """Score both, asking nothing back."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("--weights", type=Path)
    given = options.parse_args()
    rows = list(read_rows(given.data))
    for name, grammar, beams in WAYS:
        with patch.object(parser, "Grammar", grammar), patch.object(parser, "_WEIGHED", beams):
            score = score_talk(NetworkParser(given.weights, threshold=0.0), rows).to_json()
        print(f"{name}: same {score['same']:.1%}, exact {score['exact']:.1%}", flush=True)


if __name__ == "__main__":
    main()
