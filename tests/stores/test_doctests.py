"""The examples in the documentation of the code are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import visavis.stores

MODULES = [module.name for module in pkgutil.iter_modules(visavis.stores.__path__, "visavis.stores.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
