"""Questioners to compare with: they ask without looking at the candidates."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.errors import BadInputError, NotFoundError
from visavis.questions.base import Proposition, Question, Questioner, View
from visavis.questions.concepts import ConceptBank
from visavis.questions.free import free_question
from visavis.questions.proposals.base import yes_no
from visavis.questions.vocabulary import Concept, default_vocabulary

#: What people commonly ask about pictures they cannot see (after VisDial), and two open questions among the first.
COMMON_QUESTIONS = (
    "Are there any people in the picture?",
    "What else is in the picture?",
    "Is it outdoors?",
    "Is the photo in colour?",
    "Is it sunny?",
    "What else can you tell me about it?",
    "Are there any trees?",
    "Are there any buildings?",
    "Are there any animals?",
    "Is there any grass?",
    "Can you see the sky?",
    "Are there any cars?",
    "Is there a table?",
    "Is there a window?",
    "Can you see any signs?",
    "Is there any water?",
)


class PoolQuestioner(Questioner):
    """Asks the questions of a fixed list, in order, whatever the candidates are."""

    name = "pool"

    def __init__(self, questions: Sequence[str] = COMMON_QUESTIONS) -> None:
        self._questions = [free_question(text) for text in questions]

    def ask(self, view: View) -> Question | None:
        """The next of the list."""
        return next((question for question in self._questions if question.key not in view.asked), None)


class RandomQuestioner(Questioner):
    """Asks about a concept drawn at random from the vocabulary."""

    name = "random"

    def __init__(self, vocabulary: Sequence[Concept] | None = None, seed: int = 0) -> None:
        self._vocabulary = tuple(default_vocabulary() if vocabulary is None else vocabulary)
        self._seed = seed

    def ask(self, view: View) -> Question | None:
        """A concept that was not asked about; the same conversation always gets the same one."""
        digest = hashlib.blake2b(f"{self._seed}\n{view.told}\n{len(view.exchanges)}".encode(), digest_size=8).digest()
        order = np.random.default_rng(int.from_bytes(digest, "big")).permutation(len(self._vocabulary))
        for place in order:
            concept = self._vocabulary[place]
            if concept.key not in view.asked:
                proposition = Proposition(concept.wish, concept.prompt, concept.kind, common=concept.common)
                return yes_no(concept.question, concept.key, proposition, np.full(len(view.candidates), 0.5)).question
        return None


class RecordedQuestioner(Questioner):
    """Asks what was asked in the recorded dialogue whose description is nearest to the person's.

    The published dialogues are about pictures that need not be in the gallery; for one that is, its own are used.
    """

    def __init__(self, name: str, dialogues: Mapping[str, Sequence[str]], bank: ConceptBank) -> None:
        """Take dialogues: what each is about, and its questions.

        Args:
            name: What to call it in reports: ``human``, ``unanswered``.
            dialogues: Description -> questions in order.
            bank: Embeds descriptions.
        """
        if not dialogues:
            raise BadInputError("There are no recorded dialogues to ask from.")
        self.name = name
        self._questions = [[free_question(text) for text in questions] for questions in dialogues.values()]
        self._descriptions = list(dialogues)
        self._bank = bank
        self._vectors: FloatArray | None = None

    def ask(self, view: View) -> Question | None:
        """The next question of the nearest dialogue."""
        if self._vectors is None:
            self._vectors = self._bank.prompt_vectors(self._descriptions)
        opening = view.told.split(". ")[0]
        nearest = int((self._vectors @ self._bank.prompt_vectors([opening])[0]).argmax())
        return next((question for question in self._questions[nearest] if question.key not in view.asked), None)


def read_dialogues(file: Path) -> dict[str, list[str]]:
    """Descriptions and questions from a file of ChatIR dialogues (``dialog``: caption, then "question? answer")."""
    try:
        rows = json.loads(file.read_text("utf-8"))
        dialogues = {row["dialog"][0]: [_question(turn) for turn in row["dialog"][1:]] for row in rows}
    except OSError as error:
        raise NotFoundError(f"The dialogues {file} cannot be read: {error.strerror}.", "Name their folder.") from error
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise BadInputError(f"{file} is no file of dialogues: {error!r}.", "It needs 'img' and 'dialog'.") from error
    return dialogues


def _question(turn: str) -> str:
    return turn.split("?", 1)[0].strip() + "?"
