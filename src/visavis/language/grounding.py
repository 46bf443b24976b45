"""From what was read to what can be done: the collection's own spelling, offered answers, typing errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

from visavis.errors import BadInputError
from visavis.language.commands import (
    Answer,
    Avoid,
    Caption,
    Chat,
    Command,
    Count,
    Crop,
    Edit,
    Filter,
    Forget,
    Keep,
    Refine,
    Remove,
    Search,
    Select,
    Shown,
    Sort,
    Undo,
    Values,
    parse_commands,
)
from visavis.language.commands.wishes import TIMES, Value
from visavis.language.context import Attribute, Context, NumberRange, refusals, singular
from visavis.language.english import ORDINALS, PEOPLE, absence_in, by_looks, names_nobody, without
from visavis.language.lexicon import word_ranks
from visavis.language.prompt import stems
from visavis.language.vocabulary import correct
from visavis.pictures.derived import BLACK_AND_WHITE
from visavis.types import Question

_ARTICLE = re.compile(r"(?i)^(?:(?:just|only)\s+)?(?:an?|the|(?:some|any)(?:thing)?)\s+(?!like\b|to\b)(?=\S)")
#: "a bit longer", "a little darker": no article.
_AMOUNT = re.compile(r"^a (?:bit|little|lot|tad|touch|few|couple|pair|bunch|group|lot of)\b", re.IGNORECASE)
#: The network puts most typing errors right; of the rest only what can hardly be another word.
_LIKELY_SLIP = 1
#: How near a word that is not English must come to one of the collection's.
_NEAR = 0.8
#: What no attribute of an unknown collection is likely to have as its value but the time that a picture was taken.
_TIME = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|summer|winter|"
    r"spring|autumn|week|month|year|yesterday|today|weekend|christmas|easter|morning|(?:19|20)\d\d)\b"
)
_PICTURE = re.compile(
    rf"(?:the )?(?:(?P<ordinal>{'|'.join(ORDINALS)})|(?P<last>last)|(?:number|no\.?|#) ?(?P<number>\d{{1,3}}))"
    r"(?: (?:one|picture|photo|image|pic))?"
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_QUOTED = re.compile(r"[\"\u201c\u201e\u00ab]\s*([^\"\u201c-\u201f\u00ab\u00bb]+?)\s*[\"\u201c\u201d\u00bb]")
#: The answer that leaves a question open.
NO_PREFERENCE = "no preference"


def ground(commands: Iterable[Command], context: Context) -> tuple[Command, ...]:
    """Commands in the collection's own words.

    Args:
        commands: What was read.
        context: The conversation.
    """
    known = _own_words(context)
    grounded = [one for command in commands for one in _grounded(command, context, known)]
    return _amended(tuple(_dropped(_alternatives(grounded), context.topic)), context)


def _alternatives(commands: Sequence[Command]) -> list[Command]:
    """Commands where two values of one attribute, which no picture has both, are alternatives: "only Arket and Cos"."""
    kept: list[Command] = []
    for command in commands:
        before = kept[-1] if kept else None
        if (
            isinstance(command, Filter)
            and isinstance(before, Filter)
            and (command.field, command.comparison, before.comparison) == (before.field, "=", "=")
        ):
            kept[-1] = replace(before, values=tuple(dict.fromkeys((*before.values, *command.values))))
        else:
            kept.append(command)
    return kept


def _amended(commands: tuple[Command, ...], context: Context) -> tuple[Command, ...]:
    """Commands where an edit given anew takes back only its first form, not all that the last message did.

    Edits that are taken back and made again at once are only taken back.
    """
    if commands[:1] != (Undo(),) or not context.edits:
        return commands
    last = context.edits[-max(1, context.recent) :]
    if set(last) <= set(commands[1:]):
        return (Undo(), *(command for command in commands[1:] if command not in last))
    if len(commands) != 2 or context.recent < 2:
        return commands
    anew = commands[1]
    if not isinstance(anew, Edit) or anew in last or not any(edit.verb == anew.verb for edit in last):
        return commands
    return (Undo(), *(anew if edit.verb == anew.verb else edit for edit in last))


def _dropped(commands: Sequence[Command], topic: str) -> Iterator[Command]:
    """Commands where "X, not Y" drops Y from the topic instead of keeping it away from other pictures."""
    of_topic = _stems(topic)
    wishes = any(isinstance(command, Refine) for command in commands)
    for command in commands:
        if wishes and isinstance(command, Avoid) and _stems(command.text) <= of_topic:
            yield Forget(command.text)
        else:
            yield command


def _stems(text: str) -> set[str]:
    return {singular(word.lower()) for word in _WORD.findall(text)} - {"the", "a", "an", "of", "with"}


def _grounded(command: Command, context: Context, known: frozenset[str]) -> Iterator[Command]:
    match command:
        case Answer() if context.question is not None:
            yield from answered(command.text, context.question)
        case Filter(field=field, values=(str(value),)) if field in TIMES and absence_in(value) == ("", BLACK_AND_WHITE):
            yield without(BLACK_AND_WHITE, context.attributes)
        case Filter():
            yield _filter(command, context.attributes)
        case Sort():
            yield Sort(*by_looks(_field(command.field, context.attributes), command.order))
        case Values():
            yield Values(_field(command.field, context.attributes))
        case Search() | Refine() if (absence := absence_in(command.text)) is not None:
            rest, absent = absence
            if rest:
                yield replace(command, text=description(rest, known))
            yield without(absent, context.attributes)
        case Remove(target=str(target)) if names_nobody(target):
            yield Avoid(PEOPLE)
        case Avoid() if names_nobody(command.text):
            yield Avoid(PEOPLE)
        case Search() | Refine() | Avoid() | Forget():
            yield replace(command, text=description(command.text, known))
        case Count(text=str(text)):
            yield Count(description(text, known))
        case Keep():
            yield replace(command, attribute=description(command.attribute, known))
        case Crop(target=str(target)) if set(_WORD.findall(target.lower())) <= _POINTING:
            yield replace(command, target=_MIDDLE)
        case Edit(target=str(target)) if not context.picture and (number := _pointed(target, context.shown)):
            yield Select(Shown(number))
            yield replace(command, target=None)
        case Edit(target=str(target)):
            yield replace(command, target=description(target, known))
        case _:
            yield command


def _pointed(target: str, shown: int) -> int | None:
    """The number of the picture that a thing to edit is, where it is a picture ("the first one") and no thing."""
    found = _PICTURE.fullmatch(target.lower().strip())
    if not found or not shown:
        return None
    number = int(found["number"]) if found["number"] else shown if found["last"] else ORDINALS[found["ordinal"]]
    return number if 1 <= number <= shown else None


def description(text: str, known: frozenset[str] = frozenset()) -> str:
    """A description as it is kept: no leading article, typing errors put right.

    >>> description("something red on the beech"), description("a bit longer"), description("just the lipstick")
    ('red on the beech', 'a bit longer', 'lipstick')
    """
    plain = text if _AMOUNT.match(text) else _ARTICLE.sub("", text)
    return _WORD.sub(lambda found: _spelled(found[0], known), plain).strip() or text


def _spelled(word: str, known: frozenset[str]) -> str:
    """A word as it is written right; names, and words of the collection, stay."""
    if word[:1].isupper() or word.lower() in known or "'" in word:
        return word
    near = get_close_matches(word, known, 1, _NEAR) if word not in word_ranks() and len(word) > 3 else []
    return near[0] if near else correct(word, known, _LIKELY_SLIP)


def _own_words(context: Context) -> frozenset[str]:
    """The words that the collection and the conversation use themselves."""
    texts = [context.topic, *(concept.noun for concept in context.concepts)]
    for name, values in context.attributes.items():
        texts.append(name)
        if not isinstance(values, NumberRange):
            texts.extend(values)
    return frozenset(word.lower() for text in texts for word in _WORD.findall(text))


def _field(name: str, attributes: Mapping[str, Attribute]) -> str:
    """An attribute's own spelling; where only one name ends in the word ("colour": baseColour), that one."""
    asked = _name_words(name)
    same = [own for own in attributes if "".join(_name_words(own)) == "".join(asked)]
    ending = [own for own in attributes if _name_words(own)[-len(asked) :] == asked]
    return same[0] if same else ending[0] if len(ending) == 1 else name


def _name_words(name: str) -> list[str]:
    """The words of an attribute's name: ``baseColour``, ``base_colour`` and "base colors" have the same two."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()
    return [singular(word).replace("color", "colour") for word in apart.split()] or [name]


def _filter(command: Filter, attributes: Mapping[str, Attribute]) -> Filter:
    field = _field(command.field, attributes)
    values = attributes.get(field)
    if values is None or (field in TIMES and not isinstance(values, NumberRange)):
        time = next((v for v in command.values if isinstance(v, str) and _TIME.search(v.lower())), None)
        return replace(command, field=field if attributes or time is None else "taken")
    if isinstance(values, NumberRange):
        typed = tuple(_number(v) if isinstance(v, str) else v for v in command.values)
        return replace(command, field=field, values=typed)
    own = {value.lower(): value for value in values}
    spelled = tuple(dict.fromkeys(_own_value(v, own) for v in command.values))
    return replace(command, field=field, values=spelled)


def _own_value(value: Value, own: Mapping[str, str]) -> Value:
    """A value in the collection's spelling; a number is a value like any other where values are texts."""
    text = f"{value:g}" if isinstance(value, float) else value
    return own.get(text.lower(), value) if isinstance(text, str) else value


def _number(text: str) -> float | str:
    plain = re.sub(r"[^\d.-]", "", text.replace(",", ""))
    try:
        return float(plain)
    except ValueError:
        return text


def answered(text: str, question: Question) -> tuple[Command, ...]:
    """The commands that an answer stands for: those of the option that it names, or the answer itself.

    >>> asked = Question("Which colour?", (("red", "filter colour = Red"), ("blue", "filter colour = Blue")))
    >>> [str(command) for command in answered("the blue one", asked)]
    ['filter colour = Blue']
    """
    said = text.lower().strip(" .!?")
    lines = {label.lower(): line for label, line in question.options}
    if said == NO_PREFERENCE and said not in lines:  # its "no" does not name the option "no"
        return (Answer(text),)
    if said in ("none", "neither", "none of them", "none of these"):
        if question.key and (refused := refusals(question)):
            return tuple(one for line in refused for one in parse_commands(line))
        if any(lines.values()):  # readings of what was said were offered, and none was meant
            return (Chat("refusal"),)
    named = [label for label in lines if label == said] or _named(said, lines)
    chosen = [line for label in named if (line := lines[label])]
    if not chosen or len(chosen) < len(named):
        return (Answer(text),)
    try:
        return _together([parse_commands(line) for line in chosen])
    except BadInputError:
        return (Answer(text),)


def _named(said: str, labels: Iterable[str]) -> list[str]:
    """The labels whose every word is said, the longest only where one holds another."""
    words = set(re.findall(r"\w+", said))
    found = [label for label in labels if set(re.findall(r"\w+", label)) <= words and _is_said(label, said)]
    return [label for label in found if not any(label != other and label in other for other in found)]


def _is_said(label: str, text: str) -> bool:
    """Whether a label is one; the letters A and B are only where nothing else is said: "on a bed" is not A."""
    chosen = r"(?:(?:it is|it's|more|rather|like|option|picture|number|choose|take|i prefer) )*"
    return len(label) > 1 or re.fullmatch(rf"{chosen}{re.escape(label)}(?: please)?", text, re.IGNORECASE) is not None


def _together(chosen: list[tuple[Command, ...]]) -> tuple[Command, ...]:
    """Several options at once; values of the same attribute are alternatives."""
    if len(chosen) > 1:
        filters = [c for part in chosen for c in part if isinstance(c, Filter) and c.comparison == "="]
        if len(filters) == len(chosen) and len({c.field for c in filters}) == 1:
            return (replace(filters[0], values=tuple(value for c in filters for value in c.values)),)
    return tuple(command for part in chosen for command in part)


#: Answers that need not be said in these words.
_FREE_ANSWERS = frozenset({"yes", "no", NO_PREFERENCE, "both", "none", "either", "all"})
_ORDINAL = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|last|latter|former|middle|one|two|three|four|five|[1-9])\b",
    re.IGNORECASE,
)
#: Messages that are nothing but the place of an option, a refusal of all of them, or a sign of not knowing.
_PLACE = re.compile(
    r"(?:the )?(?:(?P<first>first|1st|former)|(?P<second>second|2nd)|(?P<third>third|3rd)|(?P<fourth>fourth|4th)|"
    r"(?P<last>last|latter)|(?:(?:number|option) )?(?P<digit>[1-9]))(?: one| option)?"
)
_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": -1}
_NONE = re.compile(r"(?:neither|none)(?: one)?(?: of (?:them|these|those|the two|both|the above))?")
#: What a choice itself offers: "Blue, white or something else?"
_ELSE = re.compile(r"(?:something|anything|somewhere) else|(?:an|some )?other(?: one)?")
_YES = re.compile(
    r"(?:yes|yeah|yep|yup|sure|right|exactly|correct|ok|okay)(?: (?:please|that|do that|do it|that one|sure))?"
)
_UNSURE = re.compile(r"(?:i )?(?:really )?(?:do not|don'?t) know|(?:i have )?no idea|(?:i am |i'?m )?not sure")


def settle_answers(commands: Sequence[Command], message: str, context: Context) -> tuple[Command, ...]:
    """Commands in which an answer to the waiting question is one: said by the person, and offered by the question.

    A caption is what the person put in quotes, where anything is.
    What was said beside a choice ("with long sleeves" where a background was asked for) is a wish of its own.

    Raises:
        BadInputError: An answer, or one of two alternatives, was not said.
    """
    return tuple(_settled(command, message, context) for command in commands)


def _settled(command: Command, message: str, context: Context) -> Command:
    if isinstance(command, Caption) and len(quoted := _QUOTED.findall(message)) == 1:
        return replace(command, text=quoted[0])  # what is in quotes is what shall be written
    if isinstance(command, Refine) and " or " in command.text:
        known = stems(f"{message} {context.topic}")
        if not all(stems(way) & known for way in command.text.split(" or ")):
            raise BadInputError(f"Nobody said '{command.text}'.")
    question = context.question
    if not isinstance(command, Answer) or question is None:
        return command
    if not question.options:  # "what else can you tell me about it?": what is told is a wish
        return command if command.text.lower() in _FREE_ANSWERS else _told(command.text)
    if (meant := plain_answer(message, question)) is not None:
        return Answer(meant)
    text = command.text.lower()
    if text in _FREE_ANSWERS:
        return command
    words = stems(text)
    labels = [label for label, _ in question.options if _is_said(label, text)]
    fitting = [label for label in labels if words <= stems(label)]
    offered = bool(fitting) or any(stems(label) <= words for label in labels)
    said = all(stems(way) & stems(message) for way in text.split(" or "))  # each of two answers
    if not said and not (offered and _ORDINAL.search(message)):
        raise BadInputError(f"Nobody said '{command.text}'.")
    if len(fitting) == 1:  # "a tote" names the option "tote bag"
        return Answer(fitting[0])
    return command if offered else Refine(command.text)


def _told(text: str) -> Refine | Avoid:
    """A description as a wish, or as an exclusion where it says "no" or "without" ("no people")."""
    absent = re.fullmatch(r"(?:no|without)\s+(?P<what>.+)", text, re.IGNORECASE)
    return Avoid(absent["what"]) if absent else Refine(text)


def plain_answer(message: str, question: Question) -> str | None:
    """The answer that a message gives whatever the options say: one by its place, none, or no preference."""
    said = " ".join(re.findall(r"[\w']+", message.lower().replace("\u2019", "'")))
    labels = [label for label, _ in question.options]
    if said in map(str.lower, labels):
        return None
    if found := _PLACE.fullmatch(said):
        at = int(found["digit"]) - 1 if found["digit"] else _PLACES[str(found.lastgroup)]
        return labels[at] if at < len(labels) else None
    if _NONE.fullmatch(said) or (question.form == "choice" and _ELSE.fullmatch(said)):
        return "none"
    if len(labels) == 1 and _YES.fullmatch(said):
        return labels[0]
    return NO_PREFERENCE if _UNSURE.fullmatch(said) else None


#: A crop that says how, but not to what: "crop it a bit tighter"; and what that is cropped to.
_TIGHTER = re.compile(
    r"(?:please |(?:can|could) you (?:please )?)?(?:(?:crop|trim|cut|zoom|frame)"
    r"(?: (?:it|this|that|(?:the|this|that) (?:picture|photo|image|shot|one)))?(?: in)?"
    r"(?: (?:just )?(?:a (?:bit|little|touch|tad)|a little bit|slightly|somewhat|some))?(?: more)?"
    r"(?: (?:in )?(?:tighter|closer|more closely|more tightly|in))|(?:crop|zoom) in(?: (?:a (?:bit|little)|slightly))?"
    r"(?: more)?|crop (?:it |this )?(?:a (?:bit|little)|slightly)|(?:a )?(?:(?:bit|little|slightly) )?tighter crop)"
    r"(?:,? please)?[.!]?"
)
_MIDDLE = "middle 80 percent"
#: Words that point at a picture, or say how closely, and name nothing in it.
_POINTING = frozenset(ORDINALS) | frozenset(
    "one ones that this it the picture photo image pic shot tighter closer more in a bit little".split()
)


def tighter_crop(message: str) -> Crop | None:
    """The crop that a message asks for without a thing or a size; None where it asks for something else."""
    return Crop(target=_MIDDLE) if _TIGHTER.fullmatch(" ".join(message.lower().split())) else None
