"""The rule parser: every clause goes through the rules in order, the first that reads it wins."""

from __future__ import annotations

import re
from dataclasses import replace

from visavis.errors import BadInputError
from visavis.language.base import NO_CONTEXT, Parser, Understanding
from visavis.language.commands import (
    AdjustAttr,
    Avoid,
    Chat,
    Clarify,
    Command,
    Edit,
    Enhance,
    Export,
    Fewer,
    Filter,
    Forget,
    ImageCutout,
    More,
    Refine,
    Repeat,
    Rotate,
    Search,
    Select,
    Shown,
    Sort,
)
from visavis.language.context import Context
from visavis.language.conventions import PRODUCT, Conventions
from visavis.language.replies import reply_to
from visavis.language.rules import (
    amending,
    answering,
    beyond,
    browsing,
    colouring,
    contrasting,
    filtering,
    follow_up,
    keeping,
    looks,
    pointing,
    referring,
    shaping,
    smalltalk,
    steps,
    tones,
    turning,
    wishing,
)
from visavis.language.rules.clauses import clauses, hold_quotes, small_talk_before
from visavis.language.rules.describing import describes
from visavis.language.rules.lifting import lift
from visavis.language.rules.photo_talk import is_complaint
from visavis.language.rules.phrases import core, unwrap
from visavis.language.rules.rewording import reword_clause, reword_message
from visavis.language.rules.scene import Reading, Rule, Scene
from visavis.language.spelling import correct
from visavis.language.tidy import tidy, usual

#: Rules for a clause that asks for something else than a search, in the order in which they are tried.
RULES: tuple[Rule, ...] = (
    amending.take_off,
    follow_up.instead,
    amending.amend,
    beyond.compare,
    beyond.beyond,
    steps.repeat_on,
    keeping.in_colour_of,
    keeping.in_this_colour,
    keeping.keep,
    steps.roll_back,
    steps.step,
    looks.lettering,
    shaping.new_background,
    looks.blur,
    shaping.cut_out,
    shaping.crop,
    looks.look,
    shaping.resize,
    referring.colour_from_picture,
    colouring.change_colour,
    browsing.browse,
    follow_up.other_way,
    turning.flip_or_turn,
    follow_up.follow_up,
    tones.adjust_light,
    looks.enhance,
    pointing.point,
    browsing.sort,
    filtering.filter_words,
    contrasting.contrast,
    wishing.forget,
    wishing.avoid,
)
#: Rules that a clause is read by even when it opens with a verb of search ("find me others like this").
SEARCH_RULES: tuple[Rule, ...] = (
    keeping.in_colour_of,
    keeping.in_this_colour,
    browsing.browse,
    pointing.point,
    browsing.sort,
    filtering.filter_words,
)
#: Rules for a first message that describes a picture: prices and the like, where the collection has them.
DESCRIPTION_RULES: tuple[Rule, ...] = (browsing.sort, filtering.filter_words)

_MOST_CLAUSES = 12
#: Nothing new after a complaint.
_FIX_IT = re.compile(
    r"(?:please )?(?:(?:can|could|would) you )?(?:tone (?:it|that) down|fix (?:it|that|this)|change (?:it|that)|"
    r"do something about (?:it|that)|improve (?:it|that)|help)(?: a bit| please)*"
)
_ONLY_AN_EDIT = re.compile(
    r"(?:and |then |please )*(?:rotate|tilt|flip|mirror|crop|cutout|blur|sharpen|straighten|resize)\b"
)


class RuleParser(Parser):
    """Understands by rules: fast, predictable, and sure where it says so."""

    name = "rules"

    def __init__(self, conventions: Conventions = PRODUCT) -> None:
        self.conventions = conventions

    def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
        """What a message asks for, in its context."""
        text, quotes = hold_quotes(tidy(message))
        text = reword_message(correct(usual(text), _own_words(context)))
        scene = Scene(text, quotes, context, self.conventions, message=text, written=tidy(message))
        asks_back = smalltalk.chat_kind(text) in ("help", "summary")  # a question of the person's own answers none
        if not asks_back and (reading := _try(answering.answer, scene)):
            return self._understanding([reading])
        readings: list[Reading] = []
        before: tuple[Command, ...] = ()
        pending = clauses(text)[:_MOST_CLAUSES]
        scene = _with_picture_talked_of(scene, pending)
        earlier, remark = "", False
        while pending:
            clause = pending.pop(0)
            complained, remark = remark, scene.context.picture and is_complaint(core(clause))
            if complained and _FIX_IT.fullmatch(core(clause)):
                continue  # "it's too dark, please fix that" was understood at the first words
            reading = _read_clause(replace(scene, text=clause, before=before, earlier=earlier))
            earlier = f"{earlier} {clause}."
            if reading is None:
                continue
            rest = reading.rest.strip(" ,.!?")
            if rest and reading.rest_first:
                first = _read_clause(replace(scene, text=rest, before=before))
                readings.extend([replace(first, confidence=max(0.8, first.confidence))] if first else [])
                rest = ""
            if readings and (
                _repeats(reading, readings[-1])
                or (reading.follows and _is_amended(readings[-1]))
                or (complained and _puts_right(reading, readings[-1]))
            ):
                before = before[: -len(readings.pop().commands)]
            readings.append(reading)
            before += reading.commands
            if any(isinstance(command, Select) for command in reading.commands):
                scene = replace(scene, context=replace(scene.context, picture=True))  # "take #2. make it brighter"
            if rest:
                pending.insert(0, rest)
        return self._understanding(readings)

    def _understanding(self, readings: list[Reading]) -> Understanding:
        readings = _worth_keeping(readings)
        commands = [command for reading in readings for command in reading.commands]
        questions = [command for command in commands if isinstance(command, Clarify)]
        commands = [command for command in commands if not isinstance(command, Clarify)]
        chats = [command for command in commands if isinstance(command, Chat)]
        if len(chats) < len(commands) or questions:
            commands = [command for command in commands if not isinstance(command, Chat)]
        else:
            chats = [_tone(chats) if chats else Chat("nonsense")]
            commands = [*chats]
        confidence = min((reading.confidence for reading in readings), default=0.5)
        reply = reply_to(chats[0].kind) if chats and len(commands) == 1 and commands[0] is chats[0] else None
        return Understanding(tuple(commands), confidence, questions[0] if questions else None, reply, self.name)


def _with_picture_talked_of(scene: Scene, said: list[str]) -> Scene:
    """With a picture in hand when one clause can only be an edit: in "make it brighter and crop it", "it" is one."""
    edited = any(_ONLY_AN_EDIT.match(clause) for clause in said)
    spoken_of = any(re.match(r"(?:make|turn) (?:it|this|that)\b", clause) for clause in said)
    return replace(scene, context=replace(scene.context, picture=True)) if edited and spoken_of else scene


def _tone(chats: list[Chat]) -> Chat:
    """The one reply to several remarks: thanks weigh more than a yes."""
    order = (
        "help",
        "summary",
        "goodbye",
        "complaint",
        "thanks",
        "greeting",
        "praise",
        "refusal",
        "agreement",
        "nonsense",
    )
    return min(chats, key=lambda chat: order.index(chat.kind))


def _own_words(context: Context) -> frozenset[str]:
    """Words of the collection and of the picture, which are never typing errors."""
    words: set[str] = set()
    for name, values in context.attributes.items():
        words.update(name.lower().split())
        if isinstance(values, tuple):
            for value in values:
                words.update(value.lower().split())
    words.update(concept.noun for concept in context.concepts)
    return frozenset(words)


def _try(rule: Rule, scene: Scene) -> Reading | None:
    try:
        return rule(scene)
    except BadInputError:  # out of range or too long for a command: another rule may read it, or none
        return None


def _read_clause(scene: Scene) -> Reading | None:
    if reading := _try(smalltalk.small_talk, scene):
        return reading
    scene = scene.with_text(reword_clause(core(scene.text), in_hand=scene.context.picture))
    if reading := _try(smalltalk.small_talk, scene):
        return reading
    spoken, rest = small_talk_before(scene.text)
    if spoken and rest and not re.match(r"^(?:one|ones|image|picture|but)\b", rest):
        scene = scene.with_text(rest)
        if reading := _try(smalltalk.small_talk, scene):
            return reading
    if reading := _edit_pointed_at(scene):
        return reading
    for rule in _rules_for(scene):
        if reading := _try(rule, scene):
            return reading
    head, but, tail = scene.text.partition(" but ")
    if but and not re.search(r"\b(?:any|every|no)thing$|\ball$|\bnone$", head):
        first = _read_clause(scene.with_text(head))
        if first:
            return Reading(first.commands, first.confidence, tail if not first.rest else f"{first.rest} but {tail}")
    wish = _try(wishing.wish, scene)
    return beyond.unknown_edit(scene, wish) if wish else None


def _edit_pointed_at(scene: Scene) -> Reading | None:
    """An edit of another picture than the one in hand: it is taken in hand first, further ones are edited alike."""
    if (lifted := lift(scene)) is None:
        return None
    (first, *others), about_it = lifted
    reading = next((reading for rule in RULES if (reading := _try(rule, about_it))), None)
    if (
        reading is None
        or not reading.commands
        or not all(isinstance(c, Edit | Clarify | Export) for c in reading.commands)
    ):
        return None
    shown = scene.context.shown
    if shown and max(first, *others, 0) > shown:
        return Reading((Clarify(f"I show {shown} picture{'s' if shown > 1 else ''}. Which one do you mean?"),))
    again = (Repeat(pictures=tuple(map(Shown, others))),) if others else ()
    return replace(reading, commands=(Select(Shown(first)), *reading.commands, *again))


def _rules_for(scene: Scene) -> tuple[Rule, ...]:
    """The rules that may read a clause before it is taken for a wish."""
    if describes(scene):
        return DESCRIPTION_RULES if scene.context.attributes else ()
    return SEARCH_RULES if unwrap(scene.text).plainly else RULES


def _worth_keeping(readings: list[Reading]) -> list[Reading]:
    """Readings without guesses beside certainties: "I am planning a trip. Find me ..." is one search."""
    sure = [r for r in readings if r.confidence >= 0.7 and not all(isinstance(c, Chat) for c in r.commands)]
    if not sure:
        return readings
    explicit = any(isinstance(c, Search | Edit) for r in sure for c in r.commands)
    if any(_is_plain_search(r) for r in sure):  # "I love animals. Find me a snowman." asks for a snowman
        readings = [r for r in readings if _is_plain_search(r) or not all(isinstance(c, Search) for c in r.commands)]
    # "A beach. No people on it." describes what is searched for, however bare the first sentence
    companions = all(isinstance(c, Avoid | Filter | Sort | Refine) for r in sure for c in r.commands)
    bare = 0.6 if companions else 0.7
    kept = [
        r for r in readings if r.confidence >= (bare if _is_description(r) else 0.7) and not (explicit and _is_guess(r))
    ]
    return [r for at, r in enumerate(kept) if r.commands not in [k.commands for k in kept[:at]] or not _is_absolute(r)]


def _is_description(reading: Reading) -> bool:
    """Whether it says what to look for, with or without what shall not be there."""
    return any(isinstance(c, Search) for c in reading.commands) and all(
        isinstance(c, Search | Avoid | Refine | Filter) for c in reading.commands
    )


def _is_plain_search(reading: Reading) -> bool:
    return reading.confidence >= 0.75 and any(isinstance(command, Search) for command in reading.commands)


def _is_absolute(reading: Reading) -> bool:
    """Whether saying it twice means it once."""
    return all(isinstance(command, ImageCutout | Search) for command in reading.commands)


def _is_amended(reading: Reading) -> bool:
    """Whether a remark that follows changes this reading: "rotate it by 45 degrees. Clockwise."."""
    return reading.follows or all(isinstance(command, Rotate | AdjustAttr) for command in reading.commands)


def _repeats(reading: Reading, previous: Reading) -> bool:
    """Whether the same is said twice, the second time more exactly: "too many. Show me four."."""
    both = (*reading.commands, *previous.commands)
    return bool(reading.commands and previous.commands) and all(isinstance(command, Fewer | More) for command in both)


def _puts_right(reading: Reading, complaint: Reading) -> bool:
    """Whether a request says itself what a complaint before it was read as: "it's too dark, brighten it by 30"."""
    return all(isinstance(command, AdjustAttr) for command in complaint.commands) and any(
        isinstance(command, AdjustAttr | Enhance) for command in reading.commands
    )


def _is_guess(reading: Reading) -> bool:
    return all(isinstance(c, Forget) or (isinstance(c, Refine) and reading.confidence < 0.75) for c in reading.commands)
