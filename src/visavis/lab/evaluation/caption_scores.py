"""Scores of captions against what people said: BLEU-4, ROUGE-L and CIDEr, as pycocoevalcap computes them."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError

#: Ways of decoding that a file of captions has.
WAYS = ("greedy", "beam")


def read_captions(file: Path) -> list[dict[str, Any]]:
    """What ``visavis train captioner`` wrote: pairs with what people said, and the captions of each way."""
    try:
        rows = [{**row, "said": list(map(str, row["said"]))} for row in json.loads(file.read_text("utf-8"))]
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInputError(f"{file} is no file of captions: {error!r}.") from error
    return rows


def caption_scores(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The scores of each way of decoding, over all pairs and by category.

    Raises:
        NotFoundError: ``pycocoevalcap``, or the Java that its tokenizer runs in, is not there.
    """
    made: dict[str, Any] = {}
    categories = sorted({str(row.get("category", "")) for row in rows})
    for way in WAYS:
        if all(way in row for row in rows):
            made[way] = {"all": _scores(rows, way)}
            for category in categories if len(categories) > 1 else ():
                made[way][category] = _scores([row for row in rows if row.get("category", "") == category], way)
    return made


def _scores(rows: Sequence[Mapping[str, Any]], way: str) -> dict[str, float]:
    said = {place: [{"caption": text} for text in row["said"]] for place, row in enumerate(rows)}
    made = {place: [{"caption": str(row[way])}] for place, row in enumerate(rows)}
    try:
        from pycocoevalcap.bleu.bleu import Bleu
        from pycocoevalcap.cider.cider import Cider
        from pycocoevalcap.rouge.rouge import Rouge
        from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

        with contextlib.redirect_stdout(io.StringIO()):
            tokenizer = PTBTokenizer()
            references, captions = tokenizer.tokenize(said), tokenizer.tokenize(made)
            found = {
                "BLEU-4": Bleu(4).compute_score(references, captions)[0][3],
                "ROUGE-L": Rouge().compute_score(references, captions)[0],
                "CIDEr": Cider().compute_score(references, captions)[0],
            }
    except (ImportError, FileNotFoundError) as error:
        raise NotFoundError(
            "Scoring captions needs pycocoevalcap, and Java for its tokenizer.",
            "pip install pycocoevalcap, and install a Java runtime.",
        ) from error
    distinct = len({str(row[way]) for row in rows}) / max(1, len(rows))
    return {
        "pairs": len(rows),
        **{name: round(100 * float(score), 1) for name, score in found.items()},
        "distinct": round(100 * distinct, 1),
    }
