"""The examples in the docstrings of data sets and scores are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = [
    "datasets.base",
    "datasets.class_folders",
    "datasets.flickr8k",
    "evaluation.retrieval",
    "evaluation.zero_shot",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str):
    results = doctest.testmod(import_module(f"visavis.{name}"))
    assert results.attempted
    assert not results.failed
