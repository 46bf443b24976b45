"""The retrievers by name: how each is made, and what it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from visavis.conversation.turns import COMPOSED
from visavis.encoders.base import Encoder
from visavis.errors import BadInputError, NotFoundError
from visavis.search.learned.base import DialogueReader

#: The retriever of every conversation that chose none.
DEFAULT = COMPOSED
WEIGHTS = Path(__file__).parent / "weights"
Make = Callable[[Encoder, Path], DialogueReader]


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
        from visavis.search.learned.weights_file import trained_for

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


def retriever_names() -> list[str]:
    """Every name, the default first."""
    return list(RETRIEVERS)


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
