"""Parsers by name."""

from __future__ import annotations

from pathlib import Path

from visavis.errors import BadInputError
from visavis.language.base import Parser

NAMES = ("network", "llm")


def open_parser(name: str = "network", weights: Path | None = None) -> Parser:
    """A parser by its name; nothing is loaded before it first reads something.

    Args:
        name: ``network`` or ``llm``.
        weights: Other weights of the network than those that ship.
    """
    from visavis.language.parser import NetworkParser

    if name == "network":
        return NetworkParser(weights)
    if name == "llm":
        from visavis.language.llm import LlmParser

        return LlmParser.from_settings(NetworkParser(weights))
    raise BadInputError(f"There is no parser '{name}'.", f"Use one of {', '.join(NAMES)}.")
