"""CAISE records as rows, varied so that copying is learned and not the words themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from visavis.errors import BadInputError
from visavis.lab.caise.adapter import earlier_lines, written_form
from visavis.lab.caise.records import read_records
from visavis.lab.datasets.talk import Row
from visavis.lab.training.caise_samples import told_variants
from visavis.language.commands import parse_command
from visavis.language.context import Context


def caise_rows(
    folder: Path, split: str, variants: int, seed: int = 0, *, history: bool = True, concepts: bool = True
) -> Iterator[tuple[int, Row, Sequence[str]]]:
    """The rows of a split, each with its number and with lines from the conversation before.

    Args:
        folder: The folder of the CAISE files.
        split: ``train`` or ``valid``.
        variants: How many variants of each record, beside itself.
        seed: Another one gives other variants.
        history: Whether the conversation before is read (an ablation of the paper).
        concepts: Whether what the picture shows is read (another one).
    """
    for number, record in enumerate(read_records(folder, split)):
        for told, message, context, command in told_variants(record, variants, seed + number):
            try:
                commands = (parse_command(written_form(command)),)
            except BadInputError:
                continue  # a slip of the annotators that is no command
            kept = context if concepts else replace(context, concepts=())
            if not history:
                kept = Context(turns=kept.turns, shown=kept.shown, picture=kept.picture, concepts=kept.concepts)
            yield number, Row(message, kept, commands), earlier_lines(told) if history else ()
