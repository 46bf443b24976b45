"""What a learned retriever adds to the one ranking: a dialogue in, a query out.

Everything else (conditions, exclusion, order, pages, passed-over pictures, reasons, the match set, questions) belongs
to the composed retriever and is the same for all of them.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from visavis.conversation.history import Dialogue
from visavis.errors import StorageError
from visavis.files import check_installed
from visavis.search.plan import Plan
from visavis.search.vectors import REGIONED, Scale, VectorSample
from visavis.types import FloatArray

#: Scores pictures by their whole vectors ``[n, d]``, their regions ``[n, r, d]`` and their ids; higher is better. There
#: are no ids where nobody knows them.
Scorer = Callable[[FloatArray, FloatArray, Sequence[str]], FloatArray]
#: Captions of pictures by their ids; an empty text where there is none.
Captions = Callable[[Sequence[str]], Sequence[str]]
#: Whole vectors ``[n, d]`` and regions ``[n, r, d]`` of pictures by their ids; zeros for a picture that is not known.
PictureVectors = Callable[[Sequence[str]], tuple[FloatArray, FloatArray]]
#: Fewer sampled pictures than this tell nothing about the spread of scores.
_ENOUGH = 20
_LEAST = 1e-4
#: Scores as they are, where there is no sample to measure them by.
_PLAIN = Scale(0.0, 1.0)


@dataclass(frozen=True)
class DialogueQuery:
    """A dialogue as a retriever looks for its picture.

    Attributes:
        vector: ``[d]``, unit length, in the encoder's space: finds the candidates; None where the wanted words do.
        scores: Scores the candidates; None where the vector's cosine is all there is.
        phrases: Whether the phrases of the wishes put the candidates in order, as they do without a learned retriever.
    """

    vector: FloatArray | None
    scores: Scorer | None = None
    phrases: bool = False


class DialogueReader(ABC):
    """Turns a dialogue into a query. Deterministic, and safe to use from several threads."""

    #: Stable name, saved with each turn.
    name: str
    #: Bytes that it needs of each picture, for the bench.
    bytes_a_picture: int = 0

    @abstractmethod
    def read(self, dialogue: Dialogue, pictures: PictureVectors) -> DialogueQuery | None:
        """The query; None where the dialogue says nothing that the reader understands.

        Args:
            dialogue: The rounds so far.
            pictures: Gives the vectors of pictures that the rounds showed or pointed at.
        """

    def use_captions(self, captions: Captions) -> None:  # noqa: B027
        """Read captions of pictures from here; most readers read none."""

    def keep_in(self, folder: Path) -> None:  # noqa: B027
        """Keep what is computed of pictures in this folder; most readers compute nothing of them."""

    def refresh(self) -> None:  # noqa: B027
        """Take note that pictures or captions have changed."""

    def prepare(self, ids: Sequence[str], whole: FloatArray, regions: FloatArray) -> bool:  # noqa: ARG002
        """Compute what is kept of pictures before a conversation needs it; whether there is anything to keep."""
        return False


@dataclass(frozen=True)
class LearnedPlan(Plan):
    """A plan whose wanted words were read by a learned retriever.

    Attributes:
        scorer: Scores candidates; None where the query's vector is all there is.
        scale: What is ordinary for the scorer in this collection.
    """

    scorer: Scorer | None = None
    scale: Scale = _PLAIN

    def wanted_change(self, whole: FloatArray, regions: FloatArray, ids: Sequence[str] = ()) -> FloatArray:
        """What the scorer's judgement adds to scores by the query's vector, ``[n]``, in the unit of the score."""
        if self.scorer is None:
            return np.zeros(len(whole), np.float32)
        by_vector = np.asarray(whole @ self.vectors[0], np.float32)
        learned = self.unit * self.scale.above(self.scorer(whole, regions, ids))
        return np.asarray(learned - by_vector, np.float32)


def with_query(plan: Plan, query: DialogueQuery, sample: VectorSample) -> Plan:
    """The plan with the wanted words read by a learned retriever; a plan without wanted words stays as it is.

    One spread of the learned score counts what one spread of the wanted words counted, so that likes, changes, answers
    and what was passed over keep their weight against it.

    Args:
        plan: The plan of the composed retriever; its first vector is that of the wanted words.
        query: What the dialogue became.
        sample: Pictures of the collection.
    """
    if not len(plan.vectors) or not _has_words(plan):
        return plan
    enough = len(sample) >= _ENOUGH
    vector, unit = plan.vectors[0] if query.vector is None else query.vector, plan.unit
    if query.vector is not None and enough:
        unit = max(float(sample.whole_scores(query.vector).std()), _LEAST)
    scale = _PLAIN
    if query.scores is not None and enough:
        scores = query.scores(sample.whole[:REGIONED], sample.regions[:REGIONED], sample.ids[:REGIONED])
        scale = Scale(float(np.median(scores)), max(float(scores.std()), _LEAST))
    weights = (1.0, *(weight * unit / plan.unit for weight in plan.weights[1:]))
    kept = plan.states if query.phrases else None
    return LearnedPlan(
        plan.parts,
        np.vstack([vector[None], plan.vectors[1:]]).astype(np.float32),
        weights,
        kept,
        plan.state_scales if kept is not None else (),
        unit,
        plan.filter,
        plan.avoided,
        plan.order,
        plan.evidence,
        query.scores,
        scale,
    )


def _has_words(plan: Plan) -> bool:
    """Whether the first vector is that of the wanted words: parts of wanted words have no weight of their own."""
    return len(plan.vectors) > sum(part.weight != 0 for part in plan.parts)


def read_weights_file(path: Path) -> dict[str, Any]:
    """The description: the encoder that the weights were trained for, sizes and settings.

    Raises:
        StorageError: It is missing or damaged.
    """
    check_installed(path)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        str(value["encoder"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StorageError(f"The description {path} cannot be read ({error}).", "Install visavis anew.") from error
    return dict(value)


def trained_for(path: Path) -> str:
    """The fingerprint of the encoder that the weights were trained for."""
    return str(read_weights_file(path)["encoder"])
