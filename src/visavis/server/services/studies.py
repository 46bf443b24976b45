"""Studies with people: a target, up to five messages, the first five pictures after each; kept as protocol runs.

Each study is a file in the home's folder ``studies``, so that several processes can serve one, and so that a person who
takes the consent back takes all of it: the file and the conversation.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from visavis.conversation.turns import Turn
from visavis.errors import BadInputError, NotFoundError, StorageError
from visavis.files import PRIVATE_FILE, replace_bytes
from visavis.search.learned.registry import DEFAULT, check_name
from visavis.server.services.collections import CollectionRegistry
from visavis.server.services.conversations import ConversationService, OpenConversation
from visavis.server.services.rankings import rank_again
from visavis.server.services.wall import wall
from visavis.types import Result

#: Messages of a study at most, and pictures that are shown after each, as in the papers' user studies.
TURNS, SHOWN = 5, 5
#: How deep a target is looked for; a rank beyond it is said to be the next one.
_DEPTH = 10_000
#: Columns of the page's pictures, by which a message may point at one.
_COLUMNS = SHOWN


@dataclass(frozen=True)
class StudyTurn:
    """What was said and what came of it.

    Attributes:
        said: The message.
        reply: The answer.
        question: What was asked back; empty for nothing.
        rank: The target's rank.
        top: The pictures that were shown, with their scores.
        seconds: From what was shown before to the message.
    """

    said: str
    reply: str
    question: str
    rank: int
    top: tuple[tuple[str, float], ...]
    seconds: float


@dataclass(frozen=True)
class Study:
    """One person looking for one picture.

    Attributes:
        id: Its id, which is that of its conversation.
        owner: The user who takes part; not exported.
        collection: The collection.
        pictures: How many pictures it has.
        encoder: The encoder of its vectors.
        retriever: What ranks.
        target: The picture that is looked for.
        begun: When it began.
        shown: When the last pictures were shown.
        turns: The turns so far.
        found: Whether the person says that the picture was there; None until it ends.
    """

    id: str
    owner: str
    collection: str
    pictures: int
    encoder: str
    retriever: str
    target: str
    begun: str
    shown: str
    turns: tuple[StudyTurn, ...] = ()
    found: bool | None = None

    @property
    def done(self) -> bool:
        """Whether nothing more can be said."""
        return self.found is not None or len(self.turns) >= TURNS

    def as_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Study:
        """The inverse of :meth:`as_json`."""
        turns = tuple(
            StudyTurn(**{**turn, "top": tuple((str(id), float(score)) for id, score in turn["top"])})
            for turn in value["turns"]
        )
        return cls(**{**value, "turns": turns})

    def played(self) -> dict[str, Any]:
        """A line of a protocol run: the form that ``visavis bench`` writes and reads."""
        return {
            "target": self.target,
            "ranks": [turn.rank for turn in self.turns],
            "opening": self.turns[0].said,
            "exchanges": [[before.question, "open", turn.said] for before, turn in pairwise(self.turns)],
            "top": [[list(one) for one in turn.top] for turn in self.turns],
            "found": self.found,
            "seconds": [turn.seconds for turn in self.turns],
        }

    def setting(self) -> dict[str, Any]:
        """What is the same for all studies of a run: the first line of its file."""
        return {
            "gallery": self.pictures,
            "rounds": TURNS - 1,
            "user": "people",
            "encoder": self.encoder,
            "retriever": self.retriever,
            "collection": self.collection,
            "questioner": "study",
        }


class StudyService:
    """Studies of users; a user finds only their own."""

    def __init__(self, home: Path, collections: CollectionRegistry, conversations: ConversationService) -> None:
        self._folder = home / "studies"
        self._collections = collections
        self._conversations = conversations

    def start(self, owner: str, collection: str, retriever: str | None, *, consent: bool) -> Study:
        """Begin a study about a picture drawn from a collection.

        Raises:
            BadInputError: There is no consent, no such retriever, or there are too few pictures.
        """
        if not consent:
            raise BadInputError("Without consent nothing is kept, and nothing begins.", "Agree first.")
        name = check_name(retriever or DEFAULT)
        opened = self._collections.open(collection)
        total = wall(opened, 0, 1, "none").total
        if total <= SHOWN:
            raise BadInputError(f"'{collection}' has {total} pictures.", f"A study needs more than {SHOWN}.")
        target = wall(opened, random.SystemRandom().randrange(total), 1, "none").pictures[0]
        talk = self._conversations.start(owner, collection, "study")
        encoder, now = opened.collection.encoder.fingerprint, _now()
        return self._keep(Study(talk.conversation.id, owner, collection, total, encoder, name, target.id, now, now))

    def find(self, owner: str, id: str) -> Study:
        """A study of this user.

        Raises:
            NotFoundError: There is none, or it is another user's.
        """
        study = self._read(self._folder / f"{id}.json")
        if study is None or study.owner != owner:
            raise NotFoundError(f"There is no study '{id}'.", "Begin a new one.")
        return study

    def say(self, owner: str, id: str, text: str) -> Study:
        """Say something in a study.

        Raises:
            BadInputError: It is over.
        """
        study = self.find(owner, id)
        if study.done:
            raise BadInputError("This study is over.", "Begin a new one.")
        talk = self._conversations.find(owner, id)
        waited = (datetime.now(UTC) - datetime.fromisoformat(study.shown)).total_seconds()
        turn = talk.opened.assistant.reply(
            talk.conversation, text, columns=_COLUMNS, may_edit=False, retriever=study.retriever
        )
        top = tuple((result.id, round(result.score, 5)) for result in turn.results[:SHOWN])
        asked = turn.question.text if turn.question is not None else ""
        rank = self._rank(talk, turn, study)
        added = StudyTurn(text, turn.reply, asked, rank, top, round(waited, 1))
        return self._keep(replace(study, turns=(*study.turns, added), shown=_now()))

    def finish(self, owner: str, id: str, *, found: bool) -> Study:
        """End a study: the person has found the picture, or gives up."""
        return self._keep(replace(self.find(owner, id), found=found))

    def withdraw(self, owner: str, id: str) -> None:
        """Take the consent back: forget the study and its conversation."""
        self.find(owner, id)
        with suppress(NotFoundError):
            self._conversations.delete(owner, id, edits=False)
        (self._folder / f"{id}.json").unlink(missing_ok=True)

    def export(self, collection: str) -> str:
        """All studies of a collection as protocol runs, one after another, each with a line of settings before it.

        A study counts when at least one message was said. Who took part is not in it.
        """
        runs: dict[str, list[str]] = {}
        for study in self._all():
            if study.collection == collection and study.turns:
                head = json.dumps({"setting": study.setting()}, sort_keys=True)
                runs.setdefault(head, []).append(json.dumps(study.played(), ensure_ascii=False))
        return "".join(f"{line}\n" for head, lines in runs.items() for line in (head, *lines))

    def _rank(self, talk: OpenConversation, turn: Turn, study: Study) -> int:
        """The target's rank: in what the turn shows, else in its whole ranking."""
        shown = _place(turn.results, study.target)
        if shown is not None:
            return shown
        ranked = rank_again(talk.opened, talk.conversation, turn, min(_DEPTH, study.pictures))
        found = _place(ranked, study.target)
        return found if found is not None else len(ranked) + 1

    def _all(self) -> Iterator[Study]:
        found = (self._read(path) for path in sorted(self._folder.glob("*.json")))
        yield from sorted((study for study in found if study is not None), key=lambda study: study.begun)

    def _keep(self, study: Study) -> Study:
        data = json.dumps(study.as_json(), ensure_ascii=False).encode()
        replace_bytes(self._folder / f"{study.id}.json", data, parents=True, mode=PRIVATE_FILE)
        return study

    def _read(self, path: Path) -> Study | None:
        try:
            return Study.from_json(json.loads(path.read_text("utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StorageError(f"The study {path} cannot be read: {error!r}.", "Move it away.") from error


def _place(results: tuple[Result, ...], target: str) -> int | None:
    return next((place for place, result in enumerate(results, 1) if result.id == target), None)


def _now() -> str:
    return datetime.now(UTC).isoformat()
