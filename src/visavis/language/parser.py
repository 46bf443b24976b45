"""The parser: a message and its context in, the likeliest commands out, or a question where that is in doubt."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from threading import Lock

from cachetools import LRUCache

from visavis.errors import BadInputError
from visavis.language.base import (
    NO_CONTEXT,
    Parser,
    Reading,
    Understanding,
    makes_sense,
    question_about,
    reply_to,
    sense_of,
)
from visavis.language.codec import decode_commands
from visavis.language.commands import (
    Answer,
    Chat,
    Clarify,
    Command,
    Edit,
    Filter,
    Remove,
    ReplaceBackground,
    Reset,
    Rotate,
    Select,
    Shown,
    Values,
    commands_text,
    parse_commands,
)
from visavis.language.commands.parse import written_command
from visavis.language.commands.wishes import TIMES
from visavis.language.context import Context
from visavis.language.decoding import Grammar
from visavis.language.english import content_words, same_commands
from visavis.language.grounding import ground, plain_answer, settle_answers, tighter_crop
from visavis.language.lexicon import word_ranks
from visavis.language.network import Network, Output, calibrated
from visavis.language.pieces import VERBS
from visavis.language.prompt import Prompt, encode_prompt, without_prefix
from visavis.language.references import inside, outside, places
from visavis.language.vocabulary import correct_word
from visavis.language.whereabouts import settle_times

#: What a person says in one message; anything beyond it is not read.
LONGEST_MESSAGE = 2000
#: So many understandings of the last messages are kept.
_KEPT = 512
#: So many readings are weighed, and so many are offered.
_WEIGHED, _OFFERED = 5, 3
#: So sure must it be of a message that it reads without the edits before it; "a bit more" needs them.
_SELF_CONTAINED = 0.87
#: ... and so sure where it would do the same edit again.
_NOT_AGAIN = 0.6
_ABOUT_STEPS = frozenset({"undo", "redo", "repeat", "reset"})
#: So sure must it be at least of a reading that takes up every word; a question would only offer it again.
_NOTHING_LEFT_OUT = 0.3
#: ... and of edits, which one "undo" takes back.
_UNDONE_AT_ONCE = 0.4
#: A turn has no usual amount, so a word left out may be the one that tells it: "rotate by banana".
_SURE_TO_TURN = 0.75
#: A reset ends the search, so a misreading is costly.
_SURE_TO_RESET = 0.88
#: A reading this much less probable than the likeliest one is not offered.
_FAR = 0.05
#: What a word that a reading leaves out costs, in log probability; fitted on a writer not learned from.
_LEFT_OUT = 0.35
#: ... and a value of an attribute that was not named.
_UNSAID = 2.5
#: Words that carry no wish of their own.
_FILLERS = frozenset(
    "please pls plz thanks thank hi hello hey ok okay can could would should will want like need looking look find "
    "show get give let make made put take go going know think feel feels looks see got have has had do does did done "
    "don say said bit little lot kind sort something anything everything someone actually really maybe perhaps rather "
    "quite now then here there what which who how why when where not no nothing but if because all both either still "
    "again back way im id ive its dont cant wont lets yes yeah hmm oh well sorry good nice lovely great better best "
    "sure right".split()
)
_SMALL = frozenset("a an the of on in at to for by from with and or".split())
_GOES_ON = re.compile(r"\s*(?:and|also|plus|then)\b", re.IGNORECASE)
_NUMBER_WORDS = {w: str(n) for n, w in enumerate("zero one two three four five six seven eight nine ten".split())}
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
#: Words are compared by their beginning: endings change between a message and a command.
_STEM = 4
#: ... and values by less: "Polish" names Poland.
_ROOT = 3


@cache
def _network(folder: Path | None) -> Network:
    if folder is not None:
        return Network(folder)
    with as_file(files("visavis.language").joinpath("weights")) as shipped:
        return Network(shipped)


class NetworkParser(Parser):
    """Understands by the trained network; what it writes is always valid.

    Safe to use from several threads.

    Args:
        folder: The weights; those that ship with the package when None.
        threshold: How sure it must be to act without asking; the calibrated one when None.
    """

    name = "network"

    def __init__(self, folder: Path | None = None, threshold: float | None = None) -> None:
        self._folder = folder
        self._threshold = threshold
        self._kept: LRUCache[tuple[str, tuple[int, ...]], tuple[Reading, ...]] = LRUCache(_KEPT)
        self._lock = Lock()

    @property
    def network(self) -> Network:
        """The network, loaded when it is first needed."""
        return _network(self._folder)

    def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
        """What a message asks for, in its context."""
        message = without_prefix(message[:LONGEST_MESSAGE])
        if (known := _known(message, context)) is not None:
            return _understanding(known, 1.0, self.name)
        if not any(letter.isalnum() for letter in message):
            return _understanding((Chat("nonsense"),), 1.0, self.name)
        readings = self.readings(message, context)
        best = readings[0]
        if best.commands and best.probability >= self._sure_enough(best.commands, message):
            return _understanding(best.commands, best.probability, self.name, readings)
        meant = [r for r in readings if r.commands and not isinstance(r.commands[0], Chat)]
        offered = [r for r in meant if r.probability >= _FAR * meant[0].probability and not _leaves_out(r, meant[0])]
        offered = offered[:_OFFERED]
        alone = len(offered) == 1 and offered[0] is best and best.probability >= _NOTHING_LEFT_OUT
        if alone and self._may_act(best.commands, message):
            return _understanding(best.commands, best.probability, self.name, readings)
        return Understanding((), best.probability, _question(offered, context), None, self.name, readings)

    def _sure_enough(self, commands: Sequence[Command], message: str) -> float:
        """How probable a reading must be to act on it without asking."""
        calibration = self.network.description["calibration"]
        threshold: float = calibration["threshold"] if self._threshold is None else self._threshold
        if any(command == Reset() for command in commands):
            return max(threshold, _SURE_TO_RESET)
        if _is_guess(commands, message):
            return math.inf
        if not left_out(commands, message):
            return min(threshold, _NOTHING_LEFT_OUT)
        if any(isinstance(command, Rotate) for command in commands):
            return max(threshold, _SURE_TO_TURN)
        edits = all(isinstance(command, Edit) for command in commands)
        return min(threshold, _UNDONE_AT_ONCE) if edits else threshold

    @staticmethod
    def _may_act(commands: Sequence[Command], message: str) -> bool:
        """Whether to do the only thing that may be meant: a question would offer just that, and it can be undone."""
        has_own_line = any(command == Reset() or isinstance(command, Edit) for command in commands)
        return not has_own_line and not _is_guess(commands, message)

    def readings(self, message: str, context: Context = NO_CONTEXT, earlier: Sequence[str] = ()) -> tuple[Reading, ...]:
        """The likeliest readings of a message, best first, with calibrated probabilities.

        Args:
            message: What was said.
            context: The conversation.
            earlier: Further lines from the conversation, for weights that learned to read them.
        """
        readings = self._readings(message, context, earlier)
        if not context.edits or earlier:
            return readings
        # Most of what is said after an edit is not about it; the network, which mostly met what is, would repeat it.
        alone = self._readings(message, replace(context, edits=()), ())
        repeats = all(command in context.edits for command in readings[0].commands)
        steps = {command.verb for command in alone[0].commands} & _ABOUT_STEPS
        sure = alone[0].probability >= (_NOT_AGAIN if repeats else max(_SELF_CONTAINED, readings[0].probability))
        return alone if sure and not steps else readings

    def _readings(self, message: str, context: Context, earlier: Sequence[str]) -> tuple[Reading, ...]:
        prompt = encode_prompt(message, context, earlier)
        key = (message, (*prompt.ids, *map(hash, context.attributes)))
        with self._lock:
            if key in self._kept:
                return self._kept[key]
        outputs = self.network.outputs(prompt, Grammar(context, message), _WEIGHED)
        if outputs and outputs[0].pieces == (VERBS["clarify"],):  # what it would do if it had to
            left = 1 - outputs[0].probability
            forced = self.network.outputs(prompt, Grammar(context, message, asks=False), _OFFERED)
            outputs = [outputs[0], *(Output(o.pieces, o.probability * left) for o in forced)]
        readings = self._read(outputs, prompt, message, context)
        if context.question is not None and not readings[0].probability:  # all were answers that nobody gave
            readings = self._readings(message, replace(context, question=None), earlier)
        with self._lock:
            self._kept[key] = readings
        return readings

    def _read(self, outputs: Iterable[Output], prompt: Prompt, message: str, context: Context) -> tuple[Reading, ...]:
        """Outputs as commands; those that come to the same are counted together."""
        found: dict[tuple[Command, ...], float] = {}
        total = 0.0
        for output in outputs:
            try:
                commands = decode_commands(output.pieces, prompt.spell)
                commands = settle_answers(commands, message, context)
                commands = () if any(isinstance(c, Clarify) for c in commands) else ground(commands, context)
                settled = settle_times(_in_named_picture(commands, message, context), message, context.attributes)
            except BadInputError:
                continue  # within the grammar's form, but out of a command's own bounds: an empty box, say
            total += output.probability
            if settled is None or not makes_sense(settled, message, context.attributes):
                continue
            likely = output.probability * plausibility(settled, message, context.topic)
            found[settled] = found.get(settled, 0.0) + likely
        if not found:
            return (Reading((Chat("nonsense"),), 0.0),)
        known = self.network.description["calibration"]
        scale = total / max(sum(found.values()), 1e-12)  # what fits badly gives its probability to what fits better
        scaled = {way: share * scale for way, share in found.items()}
        pooled = _pooled(scaled, 0 if context.picture else context.turns - 1)
        return tuple(
            Reading(way, calibrated(one, known["temperature"], known.get("shift", 0.0))) for way, one in pooled
        )


def _in_named_picture(commands: Sequence[Command], message: str, context: Context) -> Sequence[Command]:
    """Edits with the picture first that the thing is said to be in: its number is counted, whatever was read."""
    taken = commands[0] if commands else None
    told = commands[1:] if isinstance(taken, Select) else commands
    edits = [command for command in told if isinstance(command, Edit)]
    number = inside(message, context.shown) if context.picture and edits and len(edits) == len(told) else None
    if number is None or places(message, context.shown, context.columns):  # "the second one of the last row"
        return commands
    return (Select(Shown(number)), *(replace(edit, target=outside(edit.target)) for edit in edits))


def _leaves_out(reading: Reading, likelier: Reading) -> bool:
    """Whether a reading does only a part of what a likelier one does: nobody says more than is meant."""
    return set(reading.commands) < set(likelier.commands)


def _pooled(found: Mapping[tuple[Command, ...], float], before: int = 0) -> list[tuple[tuple[Command, ...], float]]:
    """Readings, best first; one that means the same as a likelier one gives it its probability."""
    pooled: list[tuple[tuple[Command, ...], float]] = []
    for commands, probability in sorted(found.items(), key=lambda pair: -pair[1]):
        for at, (likelier, total) in enumerate(pooled):
            if likelier and (
                same_commands(commands, likelier) or sense_of(commands, before) == sense_of(likelier, before)
            ):
                pooled[at] = (likelier, total + probability)
                break
        else:
            pooled.append((commands, probability))
    return sorted(pooled, key=lambda pair: -pair[1])


def _known(message: str, context: Context) -> tuple[Command, ...] | None:
    """What needs no network: an option of the waiting question by its words or its place, a command in text form."""
    if context.question is not None and context.question.options:
        for label, line in context.question.options:
            if line and message.strip().lower() == label.lower():
                return parse_commands(line)
        if (answer := plain_answer(message, context.question)) is not None:
            return ground((Answer(answer),), context)
    if (crop := tighter_crop(message)) is not None:
        return (crop,)
    command = written_command(message)
    return None if command is None else ground((command,), context)


def _understanding(
    commands: tuple[Command, ...], probability: float, parser: str, readings: tuple[Reading, ...] = ()
) -> Understanding:
    alone = commands[0] if len(commands) == 1 else None
    reply = reply_to(alone.kind) if isinstance(alone, Chat) else None
    return Understanding(commands, probability, None, reply, parser, readings)


def _question(offered: list[Reading], context: Context) -> Clarify:
    """What to ask: which of the readings is meant."""
    ways = [reading.commands for reading in offered]
    if ways and len(ways[0]) == 1 and isinstance(turn := ways[0][0], Rotate) and turn.degrees % 180:
        angles = sorted((turn.degrees, 360 - turn.degrees), reverse=True)
        ways = [(replace(turn, degrees=angle),) for angle in angles]
    first = context.turns - len(context.topics) + 1  # topics are those of the last turns
    question, labels = question_about(ways, {first + at: topic for at, topic in enumerate(context.topics)})
    options: dict[str, str | None] = {}
    for label, commands in zip(labels, ways, strict=True):
        options.setdefault(label, commands_text(commands))
    return Clarify(question, tuple(options.items()))


def plausibility(commands: Sequence[Command], message: str, topic: str = "") -> float:
    """A factor for the probability of a reading, at most 1; ``topic`` is what the results answer."""
    if not commands or isinstance(commands[0], Chat | Clarify):  # small talk and nonsense take up no words
        return 1.0
    missed = left_out(commands, message)
    spoken = _words(message)
    unsaid = sum(not _named(command, spoken, commands) for command in commands if isinstance(command, Filter | Values))
    numbers = [(c.field, v) for c in commands if isinstance(c, Filter) for v in c.values if isinstance(v, float)]
    unsaid += len(numbers) - len(set(numbers))  # a bound that is used twice stands in another one's place
    unsaid += sum(_unsaid_beside(command, spoken, topic) for command in commands if isinstance(command, Filter))
    unasked = sum(_only_described(command, message) for command in commands)
    unasked += _is_guess(commands, message)
    return math.exp(-_LEFT_OUT * len(missed) - _UNSAID * (unsaid + unasked))


def _is_guess(commands: Sequence[Command], message: str) -> bool:
    """Whether there is not one word that something to be done could have been read from: "xyzzy".

    An unknown word may be a name to search for, but no edit.
    """
    if not commands or isinstance(commands[0], Chat | Clarify):
        return False
    said = _said(message)
    known = (_is_word(word) for word in content_words(message))
    unread = left_out(commands, message) == said or all(isinstance(command, Edit) for command in commands)
    return bool(said) and unread and not any(known)


def _is_word(word: str) -> bool:
    """Whether it is a word, an abbreviation of two letters, which no list of words has, or a number ("2nd")."""
    return len(word) <= 2 or word[0].isdigit() or correct_word(word) in word_ranks()


def left_out(commands: Sequence[Command], message: str) -> list[str]:
    """The words of a message that a reading does not take up.

    >>> left_out([Rotate(degrees=90)], "rotate by banana")
    ['banana']
    """
    written = _words(" ".join(map(str, commands)))
    return [word for word in _said(message) if not _taken_up(word, written) and _number(word) not in written]


def _number(word: str) -> str | None:
    """The digits of a number word or an ordinal number: "two", "2nd"."""
    return found[1] if (found := _ORDINAL.fullmatch(word)) else _NUMBER_WORDS.get(word)


def _said(message: str) -> list[str]:
    return [word for word in content_words(message) if word not in _FILLERS]


def _taken_up(word: str, written: set[str]) -> bool:
    """Whether a word is among the beginnings of others; of a short one the plural may be: cat, cats."""
    return word[:_STEM] in written or (len(word) < _STEM and f"{word}s" in written)


def _only_described(command: Command, message: str) -> bool:
    """Whether a message names a thing and nothing to do with it: "cats on a couch" is no request to remove them.

    "And the bins" goes on with what was done before.
    """
    if not isinstance(command, Remove | ReplaceBackground) or _GOES_ON.match(message):
        return False
    named = _words(str(command).partition(" ")[2])
    return {word for word in _words(message) if word not in _SMALL} <= named


def _words(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"[^\W_]+", text.lower())}


def _unsaid_beside(command: Filter, spoken: set[str], topic: str) -> int:
    """How many alternatives nobody wants beside one that was said: "gold" is not "black or gold" where black is out."""
    wanted = _words(" ".join(part for part in topic.split(", ") if not part.startswith("no ")))
    known = {word[:_ROOT] for word in spoken | wanted}
    values = [{word[:_ROOT] for word in _words(value)} for value in command.values if isinstance(value, str)]
    if command.field in TIMES or not any(value & {word[:_ROOT] for word in spoken} for value in values):
        return 0
    return sum(not value & known and not any(word[0].isdigit() for word in value) for value in values)


def _named(command: Filter | Values, spoken: set[str], commands: Sequence[Command]) -> bool:
    """Whether a message names a value of a filter, or its attribute; numbers and times are computed.

    A word is said for one thing: the blue of `search blue hat` does not name a pale blue background as well.
    """
    if isinstance(command, Values):
        return bool({word[:_ROOT] for word in _words(command.field)} & {word[:_ROOT] for word in spoken})
    values = [value for value in command.values if isinstance(value, str)]
    if not values or command.field in TIMES:
        return True
    texts = " ".join(str(other).partition(" ")[2] for other in commands if not isinstance(other, Filter))
    free = {word[:_ROOT] for word in spoken} - {word[:_ROOT] for word in _words(texts)}
    named = {word[:_ROOT] for word in _words(" ".join((command.field, *values)))}
    return bool(named & free) or any(value[0].isdigit() for value in values)
