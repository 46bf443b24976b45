"""Rules, learned choices and network together: the rules draft, what is open is chosen, the network has a say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from visavis.language.caise.adapter import predict_learned
from visavis.language.caise.choosing import Choices
from visavis.language.caise.colour_choice import COLOURS, colour_features, plain_colour
from visavis.language.caise.drafts import Draft, draft_of
from visavis.language.caise.records import Record
from visavis.language.caise.scoring import TYPES, type_of
from visavis.language.caise.similarity import WordVectors
from visavis.language.caise.thing_choice import thing_candidates, thing_features
from visavis.language.learned import LearnedParser
from visavis.language.lexicon import colours

Written = tuple[str, float]

#: How much the network's word counts where something is chosen, by its sureness: found by cross-validation on train.
_COLOUR_VOTE = {"search": 0.5, "adjust_color": 1.0}
_THING_VOTE = 1.0
#: How sure the network must be to overrule the rules on what to search for, and on that it is a search at all.
NETWORK_SURE = 0.9


class Combined:
    """The best of all three for a record of CAISE.

    Args:
        choices: What was learned to fill holes with.
        network: The network's command for a record, and how sure it is; without one rules and choices decide.
        vectors: The vectors of words; those of the encoder that ships when None.
    """

    def __init__(
        self, choices: Choices, network: Callable[[Record], Written] | None = None, vectors: WordVectors | None = None
    ) -> None:
        self._choices = choices
        self._network = network or (lambda _: ("", 0.0))
        self._vectors = vectors or WordVectors(centre=choices.centre)

    @classmethod
    def load(cls, folder: Path) -> Combined:
        """With everything that ``visavis train commands --data`` wrote to a folder."""
        parser = LearnedParser(folder)
        return cls(Choices.load(folder), lambda record: predict_learned(parser, record))

    def __call__(self, record: Record) -> Written:
        """The command for a record, and how sure that is."""
        draft = draft_of(record)
        if draft.command and not draft.hole and not draft.command.startswith("search "):
            return draft.command, draft.confidence  # amounts and angles are arithmetic, which the rules do exactly
        written = self._network(record)
        if draft.hole and draft.command.startswith("search ") and _is_surely_an_edit(written):
            return written
        if draft.hole == "colour":
            return self._coloured(record, draft, written)
        if draft.hole == "thing":
            return self._named(record, draft, written)
        return written if follows_network(record, draft, written) else (draft.command, draft.confidence)

    def _coloured(self, record: Record, draft: Draft, written: Written) -> Written:
        likely = self._choices.colour.log_probabilities(colour_features(record, draft, self._vectors))
        command, sure = written
        verb, *words = command.split() or [""]
        named = [plain_colour(word) for word in words if word in colours()]
        if draft.command.startswith(f"{verb} ") and named and named[0] in COLOURS:
            likely[COLOURS.index(named[0])] += _COLOUR_VOTE.get(verb, 0.0) * sure
        best = int(likely.argmax())
        return draft.filled(COLOURS[best]), float(np.exp(min(0.0, likely[best])))

    def _named(self, record: Record, draft: Draft, written: Written) -> Written:
        texts = [text for text, _ in thing_candidates(record, draft)]
        if not texts:
            return written
        likely = self._choices.thing.log_probabilities(thing_features(record, draft))
        command, sure = written
        if (text := command.removeprefix("search ")) in texts:
            likely[texts.index(text)] += _THING_VOTE * sure
        best = int(likely.argmax())
        return draft.filled(texts[best]), float(np.exp(min(0.0, likely[best])))


def follows_network(record: Record, draft: Draft, written: Written) -> bool:
    """Whether the network is followed where nothing is open: what a search leaves out is habit, which it learned."""
    command, sure = written
    if not draft.command or not command:
        return bool(command)
    if not command.startswith("search "):
        return _is_surely_an_edit(written)
    if record.concepts:  # a later search that leans on nothing in the picture: the rules have missed what it leans on
        return True
    said = set(re.findall(r"[a-z0-9]+", record.message.lower()))
    return sure >= NETWORK_SURE and set(re.findall(r"[a-z0-9]+", command.removeprefix("search "))) <= said


def _is_surely_an_edit(written: Written) -> bool:
    command, sure = written
    return sure >= NETWORK_SURE and type_of(command) in TYPES[1:]
