"""Questioners by name, for comparison: the built-in one, and baselines that ignore the candidates."""

from __future__ import annotations

import gzip
import hashlib
import json
import time
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TextIO

import numpy as np

from visavis.errors import BadInputError, NotFoundError
from visavis.language.llm import ChatClient, ChatRequest, Endpoint
from visavis.questions.answers import free_question
from visavis.questions.base import QuestionContext, Questioner, yes_no
from visavis.questions.informed import NEVER_STOP, InformedQuestioner, default_sources
from visavis.search.bank import ConceptBank
from visavis.search.vocabulary import Term, default_vocabulary
from visavis.types import FloatArray, Proposition, Question

#: Common questions about unseen pictures (after VisDial), and two open questions among the first.
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
#: A replayed answer is never late.
_REPLAYED = Endpoint("", "transcript", seconds=3600.0)


class PoolQuestioner(Questioner):
    """Asks the questions of a fixed list, in order, regardless of the candidates."""

    name = "pool"

    def __init__(self, questions: Sequence[str] = COMMON_QUESTIONS) -> None:
        self._questions = [free_question(text) for text in questions]

    def ask(self, context: QuestionContext) -> Question | None:
        """Return the next question of the list."""
        return next((question for question in self._questions if question.key not in context.asked), None)


class RandomQuestioner(Questioner):
    """Asks about a concept drawn at random from the vocabulary."""

    name = "random"

    def __init__(self, vocabulary: Sequence[Term] | None = None, seed: int = 0) -> None:
        self._vocabulary = tuple(default_vocabulary() if vocabulary is None else vocabulary)
        self._seed = seed

    def ask(self, context: QuestionContext) -> Question | None:
        """Return a concept that was not asked about; deterministic for a conversation."""
        digest = hashlib.blake2b(
            f"{self._seed}\n{context.told}\n{len(context.exchanges)}".encode(), digest_size=8
        ).digest()
        order = np.random.default_rng(int.from_bytes(digest, "big")).permutation(len(self._vocabulary))
        for place in order:
            concept = self._vocabulary[place]
            if concept.key not in context.asked:
                proposition = Proposition(concept.wish, concept.prompt, concept.kind, common=concept.common)
                return yes_no(
                    concept.question, concept.key, proposition, np.full(len(context.candidates), 0.5)
                ).question
        return None


class RecordedQuestioner(Questioner):
    """Asks the questions of the recorded dialogue whose description is nearest to the user's.

    The published dialogues are about pictures that need not be in the gallery; for one that is, its own are used.
    """

    def __init__(self, name: str, dialogues: Mapping[str, Sequence[str]], bank: ConceptBank) -> None:
        """Index dialogues by their descriptions.

        Args:
            name: The name in reports: ``human``, ``unanswered``.
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

    def ask(self, context: QuestionContext) -> Question | None:
        """Return the next question of the nearest dialogue."""
        if self._vectors is None:
            self._vectors = self._bank.prompt_vectors(self._descriptions)
        opening = context.told.split(". ")[0]
        nearest = int((self._vectors @ self._bank.prompt_vectors([opening])[0]).argmax())
        return next((question for question in self._questions[nearest] if question.key not in context.asked), None)


def read_dialogues(file: Path) -> dict[str, list[str]]:
    """Read descriptions and questions from a ChatIR file (``dialog``: caption, then "question? answer")."""
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


#: Recorded questioners and their published files.
_RECORDED = {
    "human": "VisDial_v1.0_queries_val.json",
    "unanswered": "Unanswered_ChatGPT_BLIP2.json",
    "chatgpt": "ChatGPT_BLIP2.json",
}
NAMES = ("builtin", "builtin-closed", "builtin-stops", "pool", "learned", "random", "none", "llm", *_RECORDED)


def make_questioner(
    name: str, bank: ConceptBank, dialogs: Path | None = None, transcript: Path | None = None
) -> Questioner | None:
    """Create a questioner by name, for comparison at equal rounds; None for ``none``.

    ``builtin`` asks in every round, ``builtin-closed`` without open questions, ``builtin-stops`` as in the
    assistant: only when the expected gain is high enough. ``learned`` is learned from the questions that people ask in
    published dialogues; ``llm`` is a language model, whose answers are kept in a transcript or replayed from it.
    """
    match name:
        case "none":
            return None
        case "builtin" | "builtin-closed" | "builtin-stops":
            sources = default_sources(bank, open_questions=name != "builtin-closed", pictures=False)
            questioner = InformedQuestioner(sources, None if name == "builtin-stops" else NEVER_STOP)
            questioner.name = name
            return questioner
        case "pool":
            return PoolQuestioner()
        case "random":
            return RandomQuestioner(bank.concepts)
        case "llm":
            return _model_questioner(bank, transcript)
    if name not in (*_RECORDED, "learned"):
        raise BadInputError(f"There is no questioner '{name}'.", f"Known are: {', '.join(NAMES)}.")
    if dialogs is None:
        raise NotFoundError(f"The questioner '{name}' asks from recorded dialogues.", "Name their folder: --dialogs.")
    if name == "learned":
        return LearnedPoolQuestioner(learn_pool(read_dialogues(dialogs / _RECORDED["human"]), bank), bank)
    return RecordedQuestioner(name, read_dialogues(dialogs / _RECORDED[name]), bank)


def _model_questioner(bank: ConceptBank, transcript: Path | None) -> Questioner:
    """A language model that asks in every round; the built-in questioner steps in where it says nothing."""
    from visavis.language.llm import Endpoint
    from visavis.questions.llm import LanguageModelQuestioner

    if transcript is None:
        raise BadInputError("What the model says is kept, so that the run can be repeated.", "Name a --transcript.")
    fallback = InformedQuestioner(default_sources(bank, pictures=False), NEVER_STOP)
    return LanguageModelQuestioner(Transcript(transcript, Endpoint.from_environment()), fallback, bank)


class Transcript:
    """Answers from a file of JSON lines; what is not there is asked of a model, where there is one, and added."""

    def __init__(self, file: Path, endpoint: Endpoint | None = None) -> None:
        """Read what there is.

        Args:
            file: Lines of ``key``, ``model``, ``reply``, ``seconds`` and the last of the ``messages``; compressed where
                its name ends in ``.gz``.
            endpoint: The model; without one everything has to be in the file.
        """
        self.endpoint = _REPLAYED if endpoint is None else endpoint
        self._file = file
        self._client = None if endpoint is None else ChatClient(endpoint)
        self._known: dict[str, str | None] = {}
        if not file.is_file():
            if endpoint is None:
                raise NotFoundError(f"There is no transcript {file}.", "Set VISAVIS_LLM_URL to record one.")
            return
        try:
            with _opened(file, "rt") as stream:
                rows = [json.loads(line) for line in stream if line.strip()]
            self._known = {str(row["key"]): row["reply"] for row in rows}
        except (ValueError, KeyError, TypeError, EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise BadInputError(f"{file} is no transcript: {error!r}.", "Record it anew.") from error

    def complete(self, request: ChatRequest) -> str | None:
        """What was answered to these messages, or is now.

        Raises:
            NotFoundError: It is not in the file, and there is no model.
        """
        text = json.dumps([dict(one) for one in request.messages], ensure_ascii=False, sort_keys=True)
        key = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        if key in self._known:
            return self._known[key]
        if self._client is None:
            raise NotFoundError(
                f"The transcript {self._file} does not have this dialogue.",
                "Repeat the run with the version, the gallery, the seed and the targets that it was recorded with.",
            )
        begun = time.monotonic()
        reply = self._client.complete(request)
        row = {"key": key, "model": self.endpoint.model, "reply": reply, "seconds": round(time.monotonic() - begun, 2)}
        with _opened(self._file, "at") as stream:
            stream.write(json.dumps({**row, "asked": request.messages[-1]["content"]}, ensure_ascii=False) + "\n")
        self._known[key] = reply
        return reply


def _opened(file: Path, mode: Literal["rt", "at"]) -> TextIO:
    """A file of text, which is compressed where its name says so."""
    return gzip.open(file, mode, encoding="utf-8") if file.suffix == ".gz" else file.open(mode, encoding="utf-8")


#: Questions of the pool, and how often one must have been asked.
MOST, FEWEST = 400, 4
_EPOCHS, _BATCH, _RATE, _DECAY = 30, 256, 0.05, 1e-4
#: Every fifth dialogue is not trained on.
_HELD = 5


@dataclass(frozen=True, eq=False)
class QuestionPool:
    """Questions with a classifier over them.

    Attributes:
        questions: The questions, the commonest first.
        vectors: Their vectors ``[q, d]``.
        weights: ``[2 d + 1, q]``: of the description, of the questions so far, and a constant.
        accuracy: On dialogues that it was not trained on: the share whose next question is its first, and among its
            first five; then the same of always the commonest that was not asked.
    """

    questions: tuple[str, ...]
    vectors: FloatArray
    weights: FloatArray
    accuracy: Mapping[str, float]

    def scores(self, description: FloatArray, asked: Sequence[int]) -> FloatArray:
        """How likely each question comes next, ``[q]``; those that were asked never do."""
        scores = np.asarray(_features(description, asked, self.vectors) @ self.weights, np.float32)
        scores[list(asked)] = -np.inf
        return scores


def learn_pool(dialogues: Mapping[str, Sequence[str]], bank: ConceptBank, seed: int = 0) -> QuestionPool:
    """Learn a pool.

    Args:
        dialogues: Description -> questions in order.
        bank: Makes vectors of texts.
        seed: Draws the start and the order.
    """
    counts = Counter(_plain(question) for questions in dialogues.values() for question in questions)
    questions = tuple(text for text, number in counts.most_common(MOST) if number >= FEWEST)
    if len(questions) < 2:
        raise BadInputError("Too few questions are asked more than once.", "Name a folder with more dialogues.")
    place = {text: number for number, text in enumerate(questions)}
    vectors = bank.prompt_vectors(questions)
    told = bank.prompt_vectors(list(dialogues))
    rows: list[tuple[FloatArray, int, list[int], bool]] = []
    for number, (vector, asked) in enumerate(zip(told, dialogues.values(), strict=True)):
        before: list[int] = []
        for question in map(_plain, asked):
            if question in place and place[question] not in before:
                rows.append((vector, place[question], list(before), number % _HELD == 0))
                before.append(place[question])
    train = [row for row in rows if not row[3]]
    inputs = np.stack([_features(vector, before, vectors) for vector, _, before, _ in train])
    weights = _fit(inputs, np.array([label for _, label, _, _ in train]), len(questions), seed)
    pool = QuestionPool(questions, vectors, weights, {})
    return QuestionPool(questions, vectors, weights, _accuracy(pool, [row for row in rows if row[3]]))


def _plain(question: str) -> str:
    return " ".join(question.strip().rstrip("?").split()).capitalize() + "?"


def _features(description: FloatArray, asked: Sequence[int], vectors: FloatArray) -> FloatArray:
    so_far = vectors[list(asked)].mean(axis=0) if len(asked) else np.zeros_like(description)
    return np.concatenate([description, so_far, np.ones(1, np.float32)]).astype(np.float32)


def _fit(inputs: FloatArray, labels: np.ndarray, classes: int, seed: int) -> FloatArray:
    """Softmax regression by Adam."""
    rng = np.random.default_rng(seed)
    weights = np.zeros((inputs.shape[1], classes), np.float32)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    step = 0
    for _ in range(_EPOCHS):
        order = rng.permutation(len(inputs))
        for start in range(0, len(order), _BATCH):
            chosen = order[start : start + _BATCH]
            logits = inputs[chosen] @ weights
            shares = np.exp(logits - logits.max(axis=1, keepdims=True))
            shares /= shares.sum(axis=1, keepdims=True)
            shares[np.arange(len(chosen)), labels[chosen]] -= 1
            slope = inputs[chosen].T @ shares / len(chosen) + _DECAY * weights
            step += 1
            first = 0.9 * first + 0.1 * slope
            second = 0.999 * second + 0.001 * slope**2
            weights -= _RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return weights


def _accuracy(pool: QuestionPool, held: Sequence[tuple[FloatArray, int, list[int], bool]]) -> dict[str, float]:
    found: dict[str, list[bool]] = {"first": [], "five": [], "common first": [], "common five": []}
    for vector, label, before, _ in held:
        best = np.argsort(-pool.scores(vector, before))[:5].tolist()
        common = [place for place in range(len(pool.questions)) if place not in before][:5]
        for name, guess in (("", best), ("common ", common)):
            found[f"{name}first"].append(guess[0] == label)
            found[f"{name}five"].append(label in guess)
    return {name: round(float(np.mean(hits)), 4) if hits else 0.0 for name, hits in found.items()}


class LearnedPoolQuestioner(Questioner):
    """Asks what people ask next most often of such a description, whatever the candidates are."""

    name = "learned"

    def __init__(self, pool: QuestionPool, bank: ConceptBank) -> None:
        self.pool = pool
        self._bank = bank
        self._questions = [free_question(text) for text in pool.questions]
        self._places = {question.key: place for place, question in enumerate(self._questions)}

    def ask(self, context: QuestionContext) -> Question | None:
        """The likeliest question that was not asked yet."""
        asked = [self._places[key] for key in context.asked if key in self._places]
        if len(asked) >= len(self._questions):
            return None
        opening = self._bank.prompt_vectors([context.told.split(". ")[0]])[0]
        return self._questions[int(self.pool.scores(opening, sorted(asked)).argmax())]
