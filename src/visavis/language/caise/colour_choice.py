"""What speaks for each colour that a draft leaves open."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from visavis.language.caise.adapter import context_of
from visavis.language.caise.choosing import Features
from visavis.language.caise.drafts import MARKS, Draft
from visavis.language.caise.records import Record
from visavis.language.caise.similarity import FloatArray, WordVectors
from visavis.language.concepts import colour_evidence, nouns_in, same_thing, singular
from visavis.language.context import Concept
from visavis.language.lexicon import colours, natural_colours
from visavis.language.rules.colouring import TINTS

#: The colours to choose from.
COLOURS = TINTS
#: From these likenesses on a thing that is seen may be the one that is spoken of: the same noun, or one of its kind.
_ALIKE = {"same": 1.0, "kind": 0.5}
#: How much more a thing counts that is more alike.
_SHARPNESS = 8.0


def plain_colour(word: str) -> str:
    """The colour of the list that a word names, or the word itself."""
    return colours().get(word, word)


def _shown_as(colour: str) -> str:
    """How the detector calls a colour: it knows one blue."""
    return "blue" if colour == "skyblue" else colour


def colour_features(record: Record, draft: Draft, vectors: WordVectors) -> list[Features]:
    """The features of each colour of ``COLOURS``."""
    context = context_of(record)
    concepts, told = context.concepts, context.topic
    nouns = nouns_in(draft.phrase)
    head = nouns[0] if nouns else ""
    shown = [plain_colour(concept.attributes[0]) if concept.attributes else "" for concept in concepts]
    likeness = [same_thing(head, concept.noun) if head else 0.0 for concept in concepts]
    evidence = colour_evidence(draft.phrase, concepts, told)
    closeness = _closeness(head, concepts, vectors)
    habit = _habit(head, vectors)
    coloured = sum(seen in colours() for seen in shown) or 1
    rows: list[Features] = []
    for at, colour in enumerate(COLOURS):
        having = np.array([seen == _shown_as(colour) for seen in shown], dtype=bool)
        features = {
            "evidence": evidence.get(colour, 0.0) / 3,
            "share": float(having.sum() / coloured),
            "count": math.log1p(having.sum()),
            "shown": float(having.any()),
            "close": _weighed(closeness, having),
            "habit": 3 * float(habit[at]),
        }
        for name, least in _ALIKE.items():
            alike = np.array([value >= least for value in likeness], dtype=bool)
            if (alike & having).any():
                features |= {name: 1.0, f"{name} share": float((alike & having).sum() / alike.sum())}
        features |= dict.fromkeys(_names(colour, record, draft, head, told), 1.0)
        for concept, value in zip(concepts, likeness, strict=True):
            if value >= 0.8 and concept.attributes and concept.attributes[0] not in colours():
                features[f"looks {concept.attributes[0]} {colour}"] = 1.0
        rows.append(features)
    return rows


def _names(colour: str, record: Record, draft: Draft, head: str, told: str) -> list[str]:
    """What holds for a colour, beside what the picture shows."""
    search = draft.command.startswith("search ")
    names = [f"is {colour}", f"{'search' if search else 'tint'} {colour}", f"of {singular(head)} {colour}"]
    wanted = [word for word in draft.command.split()[1:] if word != MARKS["colour"]]
    if search and wanted:
        names.append(f"for {singular(wanted[-1])} {colour}")
    if (natural_colours().get(head) or natural_colours().get(singular(head))) == colour:
        names.append("natural")
    words = told.split()
    if colour in map(plain_colour, words) and any(same_thing(head, word) >= 0.8 for word in words):
        names.append("told")
    before = [command.lower().split() for command in record.commands]
    if any(plain_colour(word) == colour for command in before for word in command[1:]):
        names.append("said before")
    tints = [command[1] for command in before if command[0] == "adjust_color" and len(command) > 1]
    if tints and tints[-1] == colour:
        names.append("search again" if search else "tint again")
    return names


def _closeness(text: str, concepts: Sequence[Concept], vectors: WordVectors) -> FloatArray:
    if not text or not concepts:
        return np.zeros(len(concepts), dtype=np.float32)
    return np.asarray(vectors.of(concept.noun for concept in concepts) @ vectors.of([text])[0])


def _weighed(closeness: FloatArray, having: np.ndarray) -> float:
    weights = np.exp(_SHARPNESS * closeness)
    return float(weights[having].sum() / (weights.sum() + 1e-9)) if having.any() else 0.0


def _habit(head: str, vectors: WordVectors) -> FloatArray:
    """Which colours the encoder expects of a thing: lemons are yellow."""
    if not head:
        return np.zeros(len(COLOURS), dtype=np.float32)
    named = vectors.of(colour.replace("skyblue", "sky blue") for colour in COLOURS)
    return np.asarray((named - named.mean(axis=0)) @ vectors.of([head])[0])
