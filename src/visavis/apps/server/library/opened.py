"""An open collection with those who answer for it."""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy
from dataclasses import dataclass
from threading import RLock
from typing import TYPE_CHECKING, Any

from visavis.apps.server.models.collections import Facet
from visavis.assistant import Assistant
from visavis.assistant.defaults import default_parser, default_questioner, default_retriever
from visavis.assistant.ranking import Ranking
from visavis.assistant.surroundings import Surroundings
from visavis.collections.catalogue import Catalogue
from visavis.collections.collection import Collection
from visavis.errors import BadInputError

if TYPE_CHECKING:
    from visavis.editing.editor import Editor


@dataclass(frozen=True)
class _Answering:
    """Who answers for a collection as it is.

    Attributes:
        editing: Talks, and edits pictures.
        looking: Talks to those who may not edit.
        ranking: Ranks without saving anything.
    """

    editing: Assistant
    looking: Assistant
    ranking: Ranking


class Opened:
    """One collection, its assistant and its ranking; the encoder is loaded when it is first needed.

    Attributes:
        bare: The collection, for what needs only its catalogue and its files.
        in_use: How many jobs work on it.
        kept_suggestions: Things to say, with the state of the collection that they were made for.
        kept_facets: Counts of values, by state and filters.
    """

    def __init__(self, collection: Collection) -> None:
        self.bare = collection
        self.in_use = 0
        self._surroundings = Surroundings(collection)
        self._store_is_open = False
        self.kept_suggestions: tuple[str, list[str]] | None = None
        self.kept_facets: dict[tuple[Hashable, ...], list[Facet]] = {}
        self._lock = RLock()
        self._answering: _Answering | None = None

    @property
    def name(self) -> str:
        """What it is called."""
        return self.bare.name

    @property
    def catalogue(self) -> Catalogue:
        """Its rows."""
        return self.bare.catalogue

    @property
    def collection(self) -> Collection:
        """The collection with its vectors, which one thread opens and the others wait for."""
        if not self._store_is_open:
            with self._lock:
                _ = self.bare.store
                self._store_is_open = True
        return self.bare

    @property
    def surroundings(self) -> Surroundings:
        """What is known of its attributes."""
        _ = self.collection
        return self._surroundings

    @property
    def ranking(self) -> Ranking:
        """Ranks without saving anything."""
        return self._prepare().ranking

    def assistant(self, *, may_edit: bool = True, columns: int = 0) -> Assistant:
        """Talks about the collection.

        Args:
            may_edit: Whether pictures may be edited, which adds them to the collection.
            columns: In how many columns the person sees pictures.
        """
        answering = self._prepare()
        assistant = answering.editing if may_edit else answering.looking
        if not columns:
            return assistant
        assistant = copy(assistant)
        assistant.columns = columns
        return assistant

    def refresh(self) -> None:
        """Look at the collection anew: much has changed in it."""
        with self._lock:
            self._answering = None
            self._surroundings = Surroundings(self.bare)

    def _prepare(self) -> _Answering:
        """Those who answer, handed out together: another thread may look at the collection anew meanwhile."""
        with self._lock:
            if self._answering is None:
                parser, retriever = default_parser(), default_retriever(self.collection)
                asks = default_questioner(self.collection)
                self._answering = _Answering(
                    Assistant(self.collection, parser, retriever, questioner=asks),
                    Assistant(self.collection, parser, retriever, _no_editor(), asks),
                    Ranking(self.collection, retriever),
                )
            return self._answering


def _no_editor() -> Editor:
    from visavis.editing.editor import Editor

    class NoEditor(Editor):
        """Stands in for the editor where somebody may only look."""

        def edit(self, *_: Any, **__: Any) -> Any:
            raise BadInputError("You may look at pictures here, but not edit them.", "Ask for the role 'write'.")

    return NoEditor()


def check_picture(opened: Opened, id: str) -> str:
    """The id of a picture that exists.

    Raises:
        NotFoundError: It does not.
    """
    return opened.bare.picture(id).id
