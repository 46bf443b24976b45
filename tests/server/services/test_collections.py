"""An open collection that many threads share."""

from __future__ import annotations

from visavis.api import open_collection
from visavis.server.services.collections import OpenCollection


def test_those_who_answer_are_there_though_the_collection_is_looked_at_anew(own_home, monkeypatch):
    """A job that ends looks at the collection anew in the very moment in which somebody says something."""
    with open_collection("colours", own_home) as collection:
        opened = OpenCollection(collection)
        prepare = opened._prepare

        def prepared_and_changed():
            made = prepare()
            opened.refresh()
            return made

        monkeypatch.setattr(opened, "_prepare", prepared_and_changed)
        assert opened.assistant is not None
        assert opened.ranking is not None
