"""The examples in the docstrings of data sets and scores are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = [
    "datasets.base",
    "datasets.folders",
    "datasets.multiturn",
    "datasets.product_attributes",
    "evaluation.encoder_scores",
    "evaluation.fashion",
    "evaluation.match_data",
    "evaluation.metrics",
    "simulation.modifications",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str):
    results = doctest.testmod(import_module(f"visavis.lab.{name}"))
    assert results.attempted
    assert not results.failed
