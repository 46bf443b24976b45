"""The retrievers by name: how each is made, and what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from visavis.conversation.history import rounds_of
from visavis.conversation.turns import COMPOSED
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, NotFoundError
from visavis.search.judge import Judge
from visavis.search.learned.base import DialogueReader, LearnedPlan, with_query
from visavis.search.plan import Plan, Planner
from visavis.search.request import SearchRequest
from visavis.search.results import with_change
from visavis.search.retriever import ComposedRetriever
from visavis.stores.base import Hit
from visavis.types import FloatArray

#: The retriever of every conversation that chose none.
DEFAULT = COMPOSED
WEIGHTS = Path(__file__).parent / "weights"
Make = Callable[[Encoder, Path], DialogueReader]
#: Hits that the reader scores by their regions, of those that its query finds.
SCORED = 400


@dataclass(frozen=True)
class RetrieverEntry:
    """One retriever.

    Attributes:
        name: Its name.
        about: What it does, in one line.
        make: Makes its reader from the encoder and its folder of weights; None where it reads the wishes alone.
        files: The files of weights that it needs.
    """

    name: str
    about: str
    make: Make | None = None
    files: tuple[str, ...] = ()

    def missing(self, encoder: Encoder | None = None, folder: Path = WEIGHTS) -> str:
        """Why it cannot be used, in a sentence; empty where it can."""
        lacking = [file for file in self.files if not (folder / file).is_file()]
        if lacking:
            return f"The weights {', '.join(lacking)} are not installed."
        if encoder is None or not self.files:
            return ""
        from visavis.search.learned.base import trained_for

        wanted = trained_for(folder / self.files[0])
        if wanted != encoder.fingerprint:
            return f"It was trained for the encoder {wanted}, and the collection has {encoder.fingerprint}."
        return ""


def _drilldown(encoder: Encoder, folder: Path) -> DialogueReader:
    from visavis.search.learned.drilldown import DrilldownReader

    return DrilldownReader(encoder, folder)


def _chatir(encoder: Encoder, folder: Path) -> DialogueReader:
    from visavis.search.learned.chatir import ChatirReader

    return ChatirReader(encoder, folder)


def _fashioniq(encoder: Encoder, folder: Path) -> DialogueReader:
    from visavis.search.learned.fashioniq import FashioniqReader

    return FashioniqReader(encoder, folder)


def _mai(encoder: Encoder, folder: Path) -> DialogueReader:
    from visavis.search.learned.mai import MaiReader

    return MaiReader(encoder, folder)


RETRIEVERS: dict[str, RetrieverEntry] = {
    DEFAULT: RetrieverEntry(DEFAULT, "Wishes as directions, phrases matched to regions; learned nothing."),
    "drilldown": RetrieverEntry(
        "drilldown",
        "A few state vectors, one updated by each message, matched to regions.",
        _drilldown,
        ("drilldown.json", "drilldown-step.onnx", "drilldown-score.onnx"),
    ),
    "chatir": RetrieverEntry(
        "chatir",
        "The whole dialogue, questions and answers included, read as one text.",
        _chatir,
        ("chatir.json", "chatir.onnx"),
    ),
    "fashioniq": RetrieverEntry(
        "fashioniq",
        "Words, predicted attributes and pictures of every turn, read by a transformer that learned on products.",
        _fashioniq,
        ("fashioniq.json", "fashioniq.onnx", "fashioniq-attributes.onnx"),
    ),
    "mai": RetrieverEntry(
        "mai",
        "Tokens of the pictures and captions that were spoken of, pruned from turn to turn, and the request.",
        _mai,
        ("mai.json", "mai-gather.onnx", "mai-compose.onnx"),
    ),
}


def check_name(name: str) -> str:
    """The name, if there is such a retriever.

    Raises:
        BadInputError: There is none.
    """
    if name not in RETRIEVERS:
        raise BadInputError(f"There is no retriever '{name}'.", f"Use one of {', '.join(RETRIEVERS)}.")
    return name


def make_reader(name: str, encoder: Encoder, folder: Path = WEIGHTS) -> DialogueReader | None:
    """The reader of a retriever; None for the default, which reads no dialogue.

    Raises:
        BadInputError: There is no such retriever.
        NotFoundError: What it needs is not there.
    """
    entry = RETRIEVERS[check_name(name)]
    if entry.make is None:
        return None
    if why := entry.missing(encoder, folder):
        raise NotFoundError(f"The retriever '{name}' cannot be used. {why}", f"Use the retriever '{DEFAULT}'.")
    return entry.make(encoder, folder)


def available(encoder: Encoder) -> Mapping[str, str]:
    """Every retriever by name with why it cannot be used here; an empty text where it can."""
    return {name: entry.missing(encoder) for name, entry in RETRIEVERS.items()}


class LearnedRetriever(ComposedRetriever):
    """Ranks the pictures of another retriever by what a reader makes of the dialogue.

    What was measured of the pictures (the sample, what is ordinary, vectors of texts) is shared with that retriever.
    """

    def __init__(self, base: ComposedRetriever, reader: DialogueReader) -> None:
        self.__dict__.update(vars(base))
        self._base = base
        self._reader = reader
        self.name = reader.name
        self._least_fetched = SCORED

    reads_dialogue = True

    def _measurements(self) -> tuple[int, Planner, Judge]:
        return self._base._measurements()

    def refresh(self) -> None:
        """Take a new sample of the pictures for the next request."""
        self._base.refresh()

    def plan(self, request: SearchRequest) -> Plan:
        """How a request is going to be ranked: the wanted words as the reader reads the dialogue."""
        plan = super().plan(request)
        query = self._reader.read(request.dialogue or rounds_of(request.wishes), partial(self._vectors, request))
        return plan if query is None else with_query(plan, query, self.judge.sample)

    def _vectors(self, request: SearchRequest, ids: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Vectors of pictures, those that came with the request included: such a picture is its own only region."""
        whole, regions = self._pictures.both(ids)
        for place, id in enumerate(ids):
            if id in request.vectors:
                whole[place] = regions[place] = request.vectors[id]
        return whole, regions

    def _by_regions(self, plan: Plan, hits: list[Hit], request: SearchRequest) -> list[Hit]:
        """The first pictures again, by the reader's score in place of the cosine with its query."""
        if not isinstance(plan, LearnedPlan) or plan.scorer is None:
            return super()._by_regions(plan, hits, request)
        number = max(SCORED, request.k)
        first, rest = hits[:number], hits[number:]
        if not first:
            return hits
        ids = [hit.id for hit in first]
        change = plan.wanted_change(*self._pictures.both(ids), ids)
        ordered = with_change(first, np.asarray(change, np.float32))
        below = min(ordered[-1].score - rest[0].score, 0.0) if rest else 0.0
        return ordered + [Hit(hit.id, hit.score + below) for hit in rest]
