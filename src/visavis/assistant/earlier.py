"""Messages that go back to what was shown earlier and describe it: one picture, or all that a turn showed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from visavis.conversation.brief import Brief
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Turn
from visavis.errors import BadInputError
from visavis.language.base import Understanding, question_about
from visavis.language.commands import (
    Clarify,
    Command,
    Count,
    Like,
    More,
    Refine,
    Rollback,
    Search,
    Select,
    Sort,
    Undo,
    commands_text,
    parse_command,
)
from visavis.language.commands.base import Shown
from visavis.language.english import LITTLE_WORDS, content_words
from visavis.language.references import turns_ago

#: The probabilities that pictures fit a text, by id.
Fits = Callable[[Sequence[str], str], dict[str, float]]
#: Understands the rest of a message.
Understand = Callable[[str], Understanding]


@dataclass(frozen=True)
class SaidMessage:
    """A message in its conversation, and what it takes to tell whether it goes back to something.

    Attributes:
        understood: What the parser understood.
        message: What was said.
        conversation: The conversation.
        fits: How likely pictures fit a text.
        understand: Understands the rest of the message.
    """

    understood: Understanding
    message: str
    conversation: Conversation
    fits: Fits
    understand: Understand

    def rest(self, text: str) -> Understanding:
        """What else a message asks for, beside the way back: nothing where there is no more text."""
        return self.understand(text) if text else replace(self.understood, commands=(), clarify=None)


def as_earlier(
    understood: Understanding, message: str, conversation: Conversation, fits: Fits, understand: Understand
) -> Understanding:
    """The understanding, as a step back where the message describes what was shown earlier (see `SaidMessage`)."""
    said = SaidMessage(understood, message, conversation, fits, understand)
    for step in (as_counted, as_named_turn, as_earlier_picture, as_earlier_turn, as_one_back):
        found = step(said)
        if found is not understood:
            return found
    return understood


#: Words for what was counted just now.
_COUNTED = re.compile(r"\b(?:those|these|them)\b", re.IGNORECASE)
_FURTHER = re.compile(r"\bmore\b", re.IGNORECASE)


def as_counted(said: SaidMessage) -> Understanding:
    """The understanding, with what was counted just now as a wish where nothing but that is to be seen: "show those".

    Where nothing matched what is wanted, what was counted is looked for alone.
    """
    commands = said.understood.commands
    if not commands or not _COUNTED.search(said.message) or _FURTHER.search(said.message):
        return said.understood
    last = said.conversation.last
    counted = last.commands[0] if len(last.commands) == 1 else None
    if not isinstance(counted, Count) or not counted.text:
        return said.understood
    if not all(_says_no_more(one, said.conversation) for one in commands):
        return said.understood
    words, *conditions = counted.text.split("; ")
    try:
        wishes = tuple(parse_command(f"filter {one}") for one in (words, *conditions))
    except BadInputError:
        wishes = (*said.understand(words).commands, *(parse_command(f"filter {one}") for one in conditions))
    if last.matches == 0:
        wishes = tuple(Search(one.text) if isinstance(one, Refine) else one for one in wishes)
    orders = tuple(command for command in commands if isinstance(command, Sort))
    return replace(said.understood, commands=(*wishes, *orders), clarify=None)


def _says_no_more(command: Command, conversation: Conversation) -> bool:
    """Whether a command only shows what there is, or puts it in order."""
    if isinstance(command, Rollback):
        stands_at = conversation.turn(command.turn).stands_at if command.turn <= len(conversation) else 0
        return stands_at == conversation.last.stands_at
    described = isinstance(command, Refine | Search) and content_words(command.text) <= LITTLE_WORDS
    return described or isinstance(command, More | Sort)


_ORDINALS = "first second third fourth fifth sixth seventh".split()
#: The paper's templates that name a turn, perhaps with what its picture shows: "the white lace of the first".
_NAMES = re.compile(
    r"^(?P<compared>compared (?:to|with) (?:this|that|it|the (?:most recent|last|latest|current))\b(?: one)?,? )?"
    r"i(?:['’]d| would)?(?: still)? (?:prefer(?:red)?|rather (?:choose|have|take)|liked?) the (?P<what>[^,.;]*?)"
    r"(?:\b(?:of|from|in|at) )?(?:the )?(?:(?P<turn>turn) (?P<number>\d+)|(?P<place>"
    + "|".join(_ORDINALS)
    + r")\b(?: (?P<again>turn)| one)?)(?: better| more)?"
    r"(?:,? (?:and|but)\b|[,.;!]|$)(?: building on that,?)?(?P<rest>.*)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class NamedTurn:
    """A turn that a message prefers.

    Attributes:
        number: Its number.
        text: What the preferred picture shows; empty where the message does not tell.
        rest: What else the message asks for.
    """

    number: int
    text: str
    rest: str


def named_turn(message: str) -> NamedTurn | None:
    """The turn that a message prefers by its number; None for other messages: "the second" alone is a picture.

    >>> named_turn("Compared to this one I prefer the white lace of the first, and longer")
    NamedTurn(number=1, text='white lace', rest='longer')
    >>> named_turn("I would rather choose the one of turn 2, but it should be blue").rest
    'it should be blue'
    >>> named_turn("I prefer the second one")
    """
    found = _NAMES.match(" ".join(message.split()))
    if found is None:
        return None
    text = re.sub(r"(?:^| )ones?\b|\b(?:of|from|in|at)(?: the)?$", "", found["what"].strip()).strip()
    marked = (found["place"] or "").isupper()  # as the published sessions write it
    if not (found["compared"] or found["turn"] or found["again"] or marked):
        return None
    number = int(found["number"]) if found["number"] else _ORDINALS.index(found["place"].lower()) + 1
    return NamedTurn(number, text, found["rest"].strip(" ,.;!"))


def as_named_turn(said: SaidMessage) -> Understanding:
    """The understanding, as a step back where the message prefers an earlier turn, or a picture that it showed."""
    named = named_turn(said.message)
    if named is None or not 1 <= named.number <= len(said.conversation):
        return said.understood
    asked = said.rest(named.rest)
    shown = [result.id for result in said.conversation.turn(named.number).results[:_LOOKED_AT]]
    found = said.fits(shown, named.text) if named.text and shown else {}
    meant: tuple[Command, ...] = ()
    if max(found.values(), default=0.0) >= _FITS:
        place = Shown(1 + shown.index(max(shown, key=lambda id: found.get(id, 0.0))))
        meant = (Like(place),) if asked.commands else (Select(place),)
    return replace(asked, commands=(Rollback(named.number), *meant, *asked.commands))


#: The paper's templates, with what they say of the picture before or after "one".
_PREFERS = re.compile(
    r"\b(?:prefer(?:red)?|rather (?:choose|have|take)|(?:go|going|get) back to|liked?) the (?P<before>[^,.;]*?)\bone\b"
    r"(?: (?P<after>(?:with|in|that|without) [^,.;]+?))?"
    r"(?: better| more| best)?(?:,? (?:and|but)\b|[,.;!]|$)(?P<rest>.*)$",
    re.IGNORECASE,
)
#: Pictures that are named by their place, which the parser reads.
_PLACED = frozenset(
    ("first second third fourth fifth sixth seventh eighth ninth tenth last next previous other same middle left right "
     "top bottom original earlier former latter current new old").split()
)  # fmt: skip
#: So many pictures of each turn were surely looked at.
_LOOKED_AT = 12
#: A picture fits the description from this probability on.
_FITS = 0.5


def described_picture(message: str) -> tuple[str, str] | None:
    """How a message describes the picture that it goes back to, and what else it asks for; None for other messages.

    >>> described_picture("I would rather have the white lace one, but longer")
    ('white lace', 'longer')
    >>> described_picture("Compared to this one I prefer the one with a collar")
    ('with a collar', '')
    >>> described_picture("I prefer the second one"), described_picture("I prefer the sea")
    (None, None)
    """
    found = _PREFERS.search(" ".join(message.split()))
    if found is None:
        return None
    text = " ".join(filter(None, (found["before"].strip(), found["after"])))
    words = content_words(text)
    if not words or set(text.lower().split()) & _PLACED or any(letter.isdigit() for letter in text):
        return None
    return text, found["rest"].strip(" ,.;!")


def as_earlier_picture(said: SaidMessage) -> Understanding:
    """The understanding, as a step back where the message prefers a picture that was shown earlier.

    Where one of the pictures that are shown now fits, the message is about these, and nothing changes.
    """
    described = described_picture(said.message)
    if described is None:
        return said.understood
    text, rest = described
    now = {result.id for result in said.conversation.last.results}
    seen = _seen(said.conversation)
    if not seen.keys() - now:
        return said.understood
    found = said.fits([*seen, *now], text)
    best = max(seen, key=lambda id: found.get(id, 0.0))
    if found.get(best, 0.0) < _FITS or any(found.get(id, 0.0) >= _FITS for id in now):
        return said.understood
    turn, place = seen[best]
    asked = said.rest(rest)
    way = Like(Shown(place)) if rest else Select(Shown(place))
    return replace(asked, commands=(Rollback(turn), way, *asked.commands))


def _seen(conversation: Conversation) -> dict[str, tuple[int, int]]:
    """The last turn that showed each picture, and its place there, counted from one."""
    made: dict[str, tuple[int, int]] = {}
    for turn in conversation.turns:
        for place, result in enumerate(turn.results[:_LOOKED_AT], start=1):
            made[result.id] = (turn.number, place)
    return made


#: How a message goes back to several pictures, and what it says of them.
_BACK = re.compile(
    r"\b(?:back to|return to|liked|preferred"
    r"|(?:like|prefer|rather (?:choose|have|take|see)) (?=.*\b(?:better|more|before)\b))"
    r"\s*(?:all\s+)?(?:of\s+)?(?:the|those|these|my|your|what|all)\b(?P<what>[^,.;!?]*?)"
    r"(?:,?\s+(?:and|but)\b|[,.;!?]|$)(?P<rest>.*)$",
    re.IGNORECASE,
)
#: Words that say that something was shown, and not what.
_STEPS = frozenset(
    "again back before beforehand begin beginning best better bunch earlier first good had have initial just kind last "
    "list liked look lot moment more most much nice original other page please prefer preferred previous prior really "
    "result same saw search second see seen selection set show showed shown start starting state step stuff that third "
    "turn very view want were what when where which who you i me we us all both do did can could no not without only "
    "now then there here instead still of ones one result results image images photo photos picture pictures pic pics "
    "shot shots page pages".split()
)
#: Words that mean the earliest of several turns.
_EARLIEST = frozenset("all beginning first initial original start".split())
_WITHOUT = re.compile(r"\b(?:without|with no|no|not)\s+(?:any\s+)?(?P<what>.+)$", re.IGNORECASE)
#: The least share of a turn's pictures that fit a description, and how much more than of those shown now.
_MOST, _MORE = 0.5, 0.25


@dataclass(frozen=True)
class EarlierPictures:
    """What a message says of the pictures that it goes back to.

    Attributes:
        text: What they show, or do not show.
        absent: Whether it is what they do not show.
        earliest: Whether the earliest turn is meant where several fit.
        rest: What else the message asks for.
    """

    text: str
    absent: bool
    earliest: bool
    rest: str


def described_pictures(message: str) -> EarlierPictures | None:
    """How a message describes the pictures that it goes back to; None for other messages.

    >>> described_pictures("go back to the red ones, but cheaper")
    EarlierPictures(text='red', absent=False, earliest=False, rest='cheaper')
    >>> described_pictures("I liked the ones without people better").absent
    True
    >>> described_pictures("go back to the previous results")
    """
    found = _BACK.search(" ".join(message.split()))
    if found is None:
        return None
    said, absent = found["what"].strip(), _WITHOUT.search(found["what"])
    text = _plain(absent["what"] if absent else said).removeprefix("with ")
    if content_words(text) <= LITTLE_WORDS or any(letter.isdigit() for letter in said):
        return None
    earliest = bool(_EARLIEST & set(re.findall(r"\w+", found[0].lower())))
    return EarlierPictures(text, absent is not None, earliest, found["rest"].strip(" ,.;!?"))


def _plain(text: str) -> str:
    """What is said of pictures, without the words that say that they were shown."""
    return " ".join(word for word in text.split() if word.lower() not in _STEPS)


def as_earlier_turn(said: SaidMessage) -> Understanding:
    """The understanding, as a step back to the turn whose wishes, or else whose pictures, a message describes.

    Where none fits, it is asked whether one step back is meant, or a wish.
    """
    described, last = described_pictures(said.message), said.conversation.last
    if described is None or (last.hand is not None and last.hand.edits):
        return said.understood
    turns = list(_other_states(said.conversation))
    if described.absent:  # what a picture lacks is said of those that were talked of last
        turns = [turn for turn in turns if turn.brief.of("want")[:1] == last.brief.of("want")[:1]] or turns
    whole = replace(described, text=_plain(f"{described.text} {described.rest}"), rest="")
    found = _wished(turns, whole) if described.rest else None  # "the nike and adidas ones": no further wish
    described = whole if found is not None else described
    found = found or _wished(turns, described) or _showing(turns, last, described, said.fits)
    if found is not None:
        asked = said.rest(described.rest)
        return replace(asked, commands=(Rollback(found.number), *asked.commands))
    steps_back = any(isinstance(command, Undo | Rollback) for command in said.understood.commands)
    if not steps_back or described.absent:
        return said.understood
    ways: list[tuple[Command, ...]] = [(Refine(described.text),), said.understood.commands]
    question, labels = question_about(ways)
    options = tuple((label, commands_text(way)) for label, way in zip(labels, ways, strict=True))
    return replace(said.understood, commands=(), clarify=Clarify(question, options))


def _other_states(conversation: Conversation) -> Iterator[Turn]:
    """The turns that showed something else than is shown now, the latest first."""
    last = conversation.last
    for turn in reversed(list(conversation.turns)):
        if turn.stands_at == turn.number != last.stands_at and turn.results and turn.brief != last.brief:
            yield turn


def as_one_back(said: SaidMessage) -> Understanding:
    """The understanding, where "the ones before" are wanted, as a step to the last turn that showed other pictures.

    A turn that only answered a question shows what was shown before it, so it is passed over.
    """
    first = said.understood.commands[0] if said.understood.commands else None
    if not isinstance(first, Undo | Rollback):
        return said.understood
    conversation, last, one = said.conversation, said.conversation.last, len(said.conversation) - 1
    if not last.results or (last.hand is not None and last.hand.edits):
        return said.understood
    numbered = any(letter.isdigit() for letter in said.message)
    stays = isinstance(first, Rollback) and not numbered and last.shows_the_same(conversation.turn(first.turn))
    if not stays and (first not in (Undo(), Rollback(one)) or turns_ago(said.message, one + 1) != one):
        return said.understood
    turn, rest = conversation.others_before(), said.understood.commands[1:]
    if turn is not None:
        return replace(said.understood, commands=(Rollback(turn.number), *rest))
    return replace(said.understood, commands=rest, reply="There is nothing before these pictures.")


def _wished(turns: Sequence[Turn], described: EarlierPictures) -> Turn | None:
    """The latest turn, or the earliest, whose wishes have all words of a description; rather one with matches."""
    asked = content_words(described.text)
    fitting = [turn for turn in turns if asked <= _words_of(turn.brief, absent=described.absent)]
    fitting = [turn for turn in fitting if turn.matches] or fitting
    return fitting[-1 if described.earliest else 0] if fitting else None


def _words_of(brief: Brief, *, absent: bool) -> frozenset[str]:
    """The words of the wishes for something, or of those against it."""
    wishes = [wish for wish in brief.active if (wish.kind == "avoid") == absent]
    return frozenset(word for wish in wishes for word in content_words(f"{wish.text} {wish.attribute}"))


def _showing(turns: Sequence[Turn], last: Turn, described: EarlierPictures, fits: Fits) -> Turn | None:
    """The turn with the largest share of pictures that a description fits, where that is more than is shown now."""
    ids = {result.id for turn in (*turns, last) for result in turn.results[:_LOOKED_AT]}
    if not turns or not ids:
        return None
    found = fits(sorted(ids), described.text)

    def share(turn: Turn) -> float:
        fitting = [(found.get(result.id, 0.0) >= _FITS) != described.absent for result in turn.results[:_LOOKED_AT]]
        return sum(fitting) / max(1, len(fitting))

    best = max(turns, key=share)
    return best if share(best) >= max(_MOST, share(last) + _MORE) else None
