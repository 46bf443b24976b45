"""An open collection that many threads share."""

from __future__ import annotations

from visavis.apps.server.library.opened import Opened
from visavis.collections.collection import open_collection


def test_those_who_answer_are_there_though_the_collection_is_looked_at_anew(own_home, monkeypatch):
    """A job that ends looks at the collection anew in the very moment in which somebody says something."""
    with open_collection("colours", own_home) as collection:
        opened = Opened(collection)
        prepare = opened._prepare

        def prepared_and_changed():
            made = prepare()
            opened.refresh()
            return made

        monkeypatch.setattr(opened, "_prepare", prepared_and_changed)
        assert opened.assistant() is not None
        assert opened.assistant(may_edit=False, columns=3).columns == 3
        assert opened.ranking is not None
