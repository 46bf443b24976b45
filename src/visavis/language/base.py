"""What every parser does (a message and its context in, commands out), parsers by name, and their replies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from visavis.errors import BadInputError
from visavis.language.commands import (
    AdjustAttr,
    Avoid,
    Clarify,
    Command,
    Count,
    Filter,
    ImageCutout,
    Refine,
    Rollback,
    Rotate,
    Search,
    Sort,
    Values,
)
from visavis.language.commands.talk import ChatKind
from visavis.language.commands.wishes import TIMES
from visavis.language.context import Attribute, Context, NumberRange
from visavis.language.english import content_words
from visavis.types import condition_in_words, order_in_words

NO_CONTEXT = Context()
#: What a number may be where pictures tell when they were taken.
_YEARS = NumberRange(1900, 2100)


@dataclass(frozen=True)
class Reading:
    """One way to read a message.

    Attributes:
        commands: What it would ask for; empty where the parser would rather ask back.
        probability: How likely it is meant, 0..1.
    """

    commands: tuple[Command, ...]
    probability: float

    def lines(self) -> list[str]:
        """The text forms of the commands."""
        return [str(command) for command in self.commands]


@dataclass(frozen=True)
class Understanding:
    """What a message asks for.

    Attributes:
        commands: What to do, in order; empty when only a question back or a polite reply is due.
        confidence: How sure the parser is, 0..1.
        clarify: The question to ask back, when something that matters is unclear.
        reply: What to say when there is nothing to do.
        parser: Which parser understood it.
        alternatives: The likeliest readings, best first; none where there was nothing to weigh.
    """

    commands: tuple[Command, ...] = ()
    confidence: float = 0.0
    clarify: Clarify | None = None
    reply: str | None = None
    parser: str = ""
    alternatives: tuple[Reading, ...] = ()

    def lines(self) -> list[str]:
        """The text forms of the commands."""
        return [str(command) for command in self.commands]


class Parser(ABC):
    """Turns messages into commands. A parser never fails on a message: what it cannot read becomes small talk."""

    name: str

    @abstractmethod
    def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
        """What a message asks for, in its context."""


NAMES = ("network", "llm")


def open_parser(name: str = "network", weights: Path | None = None) -> Parser:
    """A parser by its name; nothing is loaded before it first reads something.

    Args:
        name: ``network`` or ``llm``.
        weights: Other weights of the network than those that ship.
    """
    from visavis.language.parser import NetworkParser

    if name == "network":
        return NetworkParser(weights)
    if name == "llm":
        from visavis.language.llm import LlmParser

        return LlmParser.from_settings(NetworkParser(weights))
    raise BadInputError(f"There is no parser '{name}'.", f"Use one of {', '.join(NAMES)}.")


REPLIES: dict[ChatKind, str] = {
    "greeting": "Hello! Tell me what you are looking for.",
    "thanks": "You are welcome.",
    "praise": "Glad you like it. Shall we go on from here?",
    "complaint": "I am sorry. Tell me what should be different, or go back a step.",
    "goodbye": "Goodbye!",
    "help": (
        "Say what you are looking for (“a red dress with long sleeves”), what should be different (“shorter, "
        "no logo”), "
        "point at a picture (“like #4 but blue”), go back (“back to turn 2”) or edit (“rotate it clockwise by 90”)."
    ),
    "summary": "This is what I am looking for.",
    "agreement": "All right. What shall I do next?",
    "refusal": "All right, nothing is changed.",
    "nonsense": "I did not understand that. Tell me in other words what you are looking for.",
}


def reply_to(kind: ChatKind) -> str:
    """A polite sentence for a kind of small talk."""
    return REPLIES[kind]


def makes_sense(commands: Sequence[Command], message: str, attributes: Mapping[str, Attribute]) -> bool:
    """Whether a reading does not contradict itself, names what it avoids, and takes each number for what it can be.

    Args:
        commands: The reading.
        message: What was said.
        attributes: The attributes of the collection, with their values.

    >>> makes_sense((Avoid("checks"), Refine("checks")), "no checks", {})
    False
    >>> shop = {"price": NumberRange(4, 250), "year": NumberRange(2010, 2018)}
    >>> makes_sense((Filter("price", "<=", (2011.0,)),), "not from 2011", shop)
    False
    """
    wanted = {content_words(command.text) for command in commands if isinstance(command, Search | Refine)}
    avoided = {content_words(command.text) for command in commands if isinstance(command, Avoid)}
    if wanted & avoided or any(len(words) == 1 and words & attributes.keys() for words in avoided):
        return False
    return not any(isinstance(command, Filter) and _misplaced(command, message, attributes) for command in commands)


def _misplaced(command: Filter, message: str, attributes: Mapping[str, Attribute]) -> bool:
    """Whether a number lies beyond an attribute that was not named, and within another one's: a year is no price."""
    own = attributes.get(command.field)
    if not isinstance(own, NumberRange) or command.field.lower() in message.lower():
        return False
    others = [known for name, known in attributes.items() if name != command.field and isinstance(known, NumberRange)]
    others += [_YEARS] if set(TIMES) & attributes.keys() else []
    beyond = [value for value in command.values if isinstance(value, float) and not own.low <= value <= own.high]
    return any(known.low <= value <= known.high for value in beyond for known in others)


def sense_of(commands: Sequence[Command], before: int = 0) -> tuple[frozenset[str], frozenset[str], tuple[str, ...]]:
    """What a reading wants in words, what it is against in words, and its other commands.

    How words are divided into wishes, and whether one is a condition, makes no difference to who says them: "brown
    leather" is one wish, or two, or a filter by a colour and a wish.

    Args:
        commands: The reading.
        before: The turn before the last one, where to go back there is to take the last step back.

    >>> from visavis.language.commands import parse_commands
    >>> one, other = parse_commands("refine brown leather"), parse_commands("filter colour = Brown ; refine leather")
    >>> sense_of(one) == sense_of(other)
    True
    """
    wanted, avoided, others = set[str](), set[str](), list[str]()
    for command in commands:
        match command:
            case Refine(relative=False) | Search() | Avoid():
                texts: tuple[object, ...] = tuple(command.text.split(" or "))
            case Filter(comparison="=" | "!=") if command.field not in TIMES:
                texts = command.values
            case _:
                texts = ()
        if not texts or not all(isinstance(text, str) for text in texts):
            same = isinstance(command, Rollback) and command.turn == before
            others.append("undo" if same else str(command))
            continue
        against = isinstance(command, Avoid) or (isinstance(command, Filter) and command.comparison == "!=")
        (avoided if against else wanted).update(*(content_words(str(text)) for text in texts))
        if len(texts) > 1 and not against:
            others.append("either")
        if isinstance(command, Search):
            others.append("anew")
    return frozenset(wanted), frozenset(avoided), tuple(sorted(others))


def question_about(
    readings: Sequence[Sequence[Command]], topics: Mapping[int, str] = MappingProxyType({})
) -> tuple[str, list[str]]:
    """What to ask where a message can be read in several ways, and a label for each way.

    Args:
        readings: The ways.
        topics: What the turns answered, as far as that is known.

    >>> from visavis.language.commands import Rotate
    >>> question_about([(Rotate(degrees=45),), (Rotate(degrees=315),)])
    ('Clockwise or anticlockwise?', ['anticlockwise', 'clockwise'])
    """
    labels = [" and ".join(label_of(command, topics) for command in commands) for commands in readings]
    kinds = {type(command) for commands in readings for command in commands}
    if not readings:
        return "I am not sure what you mean. Could you say it in other words?", []
    if kinds == {Rotate} and len(readings) == 2 and len(labels[0].split()) == len(labels[1].split()) == 4:
        return "Clockwise or anticlockwise?", [label.split()[-1] for label in labels]
    if len(readings) == 1:
        return f"I am not sure what you mean: {labels[0]}?", labels
    return "I am not sure what you mean. Which of these?", labels


def label_of(command: Command, topics: Mapping[int, str] = MappingProxyType({})) -> str:
    """A command as a short phrase; ``topics`` are what the turns answered."""
    match command:
        case Rotate(degrees):
            angle, way = (degrees, "anticlockwise") if degrees <= 180 else (360 - degrees, "clockwise")
            return f"turn it {angle:g}° {way}"
        case Filter():
            return f"only {condition_in_words(str(command).removeprefix('filter '))}"
        case AdjustAttr(name, amount):
            return f"{name} {amount:+g}" + (f" on the {command.target}" if command.target else "")
        case ImageCutout(target=None):
            return "cut out the main thing"
        case Count(text=None):
            return "count these"
        case Rollback(turn) if topics.get(turn):
            return f"back to “{topics[turn]}” (turn {turn})"
        case Sort():
            return order_in_words(command.field, descending=command.order == "desc")
        case Values():
            return f"list every {command.field.replace('_', ' ')}"
    if command.verb in _IN_WORDS:
        return _IN_WORDS[command.verb].format(command)
    return str(command).replace("_", " ").replace('"', "")


#: Commands as a short phrase that their verb does not tell; ``{0}`` is the command.
_IN_WORDS = {
    "search": "look for “{0.text}”",
    "refine": "these, but “{0.text}”",
    "avoid": "nothing with “{0.text}”",
    "forget": "forget “{0.text}”",
    "answer": "“{0.text}”",
    "ask": "answer “{0.text}”",
    "count": "count {0.text}",
    "keep": "the {0.attribute} of {0.source}",
    "select": "take {0.picture}",
    "like": "more like {0.picture}",
    "unlike": "fewer like {0.picture}",
    "more": "show more of them",
    "fewer": "show fewer of them",
    "random": "show anything",
    "undo": "take back the last step",
    "redo": "bring the step back",
    "rollback": "back to turn {0.turn}",
    "reset": "begin from the start",
    "chat": "nothing to do",
    "export": "download it",
    "repeat": "the same on the other pictures",
    "remove": "remove the {0.target} from the picture",
    "recolor": "make the {0.target} {0.name}",
    "image_cutout": "cut out the {0.target}",
    "grayscale": "black and white",
    "enhance": "put tones and colours right",
}


def default_parser() -> Parser:
    """The parser that understands most."""
    from visavis.language.parser import NetworkParser

    return NetworkParser()
