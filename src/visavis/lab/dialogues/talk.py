"""Generated small talk, answers, steps back and forth, and talk about the things in a picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from visavis.lab.dialogues.slots import PRODUCT, Slots
from visavis.lab.dialogues.wishes import ORDINALS, Told, started
from visavis.language.commands import (
    AdjustAttr,
    AdjustColor,
    Answer,
    Chat,
    Command,
    Export,
    Redo,
    Repeat,
    Reset,
    Rotate,
    Search,
    Shown,
    Undo,
)
from visavis.language.commands.edits import AttributeName
from visavis.language.context import Context
from visavis.language.lexicon import colours
from visavis.types import Concept, Question

_CHAT: tuple[tuple[str, Chat], ...] = (
    ("hello|hi|hey there|good morning|good evening|hi assistant|how are you", Chat("greeting")),
    ("thanks|thank you|thank you so much|thx|cheers|many thanks|that was helpful, thanks", Chat("thanks")),
    (
        "nice|perfect|wow beautiful|i love it|great picture|looks good|very nice|this is lovely|awesome job|"
        "that's great|"
        "so cute|excellent work",
        Chat("praise"),
    ),
    (
        "this is terrible|that's not what i meant|ugly|i don't like it|you don't understand|these are useless|"
        "bad results",
        Chat("complaint"),
    ),
    ("bye|goodbye|see you later|good night|that's all for today|i'm done", Chat("goodbye")),
    ("help|what can you do|how does this work|what are my options|i'm lost|who are you", Chat("help")),
    ("ok|yes|sure|alright|yes it does|go ahead|sounds good", Chat("agreement")),
    ("no|nope|not really|no thanks|nah|never mind", Chat("refusal")),
    ("asdf jkl|qwrtzp|???|...|xkcdqz|hjkl hjkl|zzzzz|!!!", Chat("nonsense")),
)


def chat(s: Slots) -> Told:
    """Small talk of every kind."""
    texts, command = s.chance.choice(_CHAT)
    return s.say(texts), started(s) if s.chance.random() < 0.6 else Context(), (command,)


def steps(s: Slots) -> Told:
    """Undo, redo, reset, save, repeat."""
    count = s.number(2, 5)
    first, second = s.chance.sample(range(1, 9), 2)
    file = f"{s.thing().replace(' ', '_')}.{s.say('png|jpg')}"
    choices: tuple[tuple[str, Command], ...] = (
        (
            "undo|undo that|take that back|revert the last change|go back one step|cancel that|undo the last edit",
            Undo(),
        ),
        ("undo the last {n}|undo {n} steps|undo the last {w} changes", Undo(count)),
        ("redo|redo it|redo that", Redo()),
        ("start over|reset everything|forget everything|let's start from scratch|clear all|begin again", Reset()),
        ("back to the original|remove all edits|reset the picture|undo everything", Reset("edits")),
        ("save it|export|download the picture|save the image|export it", Export()),
        ("save it as {f}|export to {f}|download it as {f}", Export(file)),
        ("do the same to the next {n}|apply this to the next {w} pictures|same for the next {n}", Repeat(count)),
        (
            "apply the same to #{a} and #{b}|do that to number {a} and {b}",
            Repeat(pictures=(Shown(first), Shown(second))),
        ),
    )
    texts, command = s.chance.choice(choices)
    words = ("two", "three", "four", "five")
    text = s.say(texts, n=str(count), w=words[count - 2], f=file, a=str(first), b=str(second))
    return text, replace(started(s), picture=True, edits=(AdjustAttr("contrast", 20),)), (command,)


_YES_NO = (
    ("yes", "yes"),
    ("yes please", "yes"),
    ("yeah", "yes"),
    ("of course", "yes"),
    ("no", "no"),
    ("nope", "no"),
    ("not really", "no"),
    ("i don't care", "no preference"),
    ("doesn't matter", "no preference"),
)
_OPTIONS = ("red", "blue", "green", "indoors", "outdoors", "men", "women", "summer", "winter", "wooden", "metal")


def answer(s: Slots) -> Told:
    """Replies to a waiting question."""
    if s.chance.random() < 0.4:
        asked = Question(f"Should there be {s.thing()} in it?", (("yes", None), ("no", None)))
        text, said = s.chance.choice(_YES_NO)
        return text, replace(started(s), question=asked), (Answer(said),)
    options = s.chance.sample(_OPTIONS, 3)
    text = s.say("Which one is it?|What should it be?|Which do you prefer?")
    context = replace(started(s), question=Question(text, tuple((option, None) for option in options)))
    if s.chance.random() < 0.25:
        free = s.phrase()
        return free, context, (Answer(free),)
    at = s.number(0, 2)
    text = s.say("{c}|{c} please|i think {c}|the {o}|the {c} one|rather {c}", c=options[at], o=ORDINALS[at])
    return text, context, (Answer(options[at]),)


def follow_light(s: Slots) -> Told:
    """Talk about a change of light just made."""
    number, amount = s.number(5, 50, 5), s.number(10, 40, 10) * s.chance.choice((1, -1))
    names: tuple[AttributeName, ...] = ("brightness", "contrast", "saturation")
    last = AdjustAttr(s.chance.choice(names), amount)
    sign = 1 if amount > 0 else -1
    choices: tuple[tuple[str, float], ...] = (
        ("again|do it again|once more|same again", amount),
        ("a bit more|a little more|slightly more", sign * PRODUCT.small_step),
        ("{n} more|by another {n} percent|further by {n}", sign * number),
        ("reduce it by {n}|decrease it by {n} percent|lower it by {n}", -number),
        ("increase it by {n}|increase it further by {n} percent|raise it by {n} more", number),
        ("too much|that's too much|you have overdone it", -amount / 2),
    )
    texts, value = s.chance.choice(choices)
    context = replace(started(s), picture=True, edits=(last,))
    return s.say(texts, n=str(number)), context, (replace(last, amount=float(value)),)


def follow_turn(s: Slots) -> Told:
    """Talk about a turn just made."""
    number, own, clockwise = s.number(5, 50, 5), s.chance.choice((10, 20, 30, 90)), s.chance.random() < 0.5
    turn, back = (Rotate(360 - own), Rotate(own)) if clockwise else (Rotate(own), Rotate(360 - own))
    choices = (
        ("again|do it again|once more", turn),
        ("the other way|in the opposite direction|on the other side", back),
        ("{n} degrees more|further by {n}|another {n} degrees", Rotate(360 - number if clockwise else number)),
    )
    texts, command = s.chance.choice(choices)
    return s.say(texts, n=str(number)), replace(started(s), picture=True, edits=(turn,)), (command,)


_SEEN = (
    "jacket|shirt|hat|sofa|lamp|table|wall|door|car|bag|umbrella|shoe|dress|cup|vase|chair|curtain|pillow|flower|ball|"
    "helmet|boat|tie|scarf|bottle|bowl|rug"
).split("|")
_SEEN_COLOURS = "red|blue|green|yellow|brown|black|white|pink|orange|purple"
_WHOSE = "the |the |the |the girl's |the man's |the woman's |her |his |the boy's "


def refer(s: Slots) -> Told:
    """Wishes and edits in the colour of something seen."""
    concepts = [Concept(noun, (s.say(_SEEN_COLOURS),)) for noun in s.chance.sample(_SEEN, s.number(3, 9))]
    chosen = s.chance.choice(concepts)
    colour, seen = chosen.attributes[0], s.say(_WHOSE) + chosen.noun
    context = replace(started(s), picture=True, concepts=tuple(concepts))
    if s.chance.random() < 0.4:
        text = s.say(
            "change the colour of {it} to the colour of {seen}|make {it} the same colour as {seen}|"
            "colour {it} like {seen}|tint {it} in the color of {seen}|change {it} to match the color of {seen}",
            it=s.say("the image|the picture|it|the photo"),
            seen=seen,
        )
        return text, context, (AdjustColor(colours()[colour], PRODUCT.strength),)
    thing = s.thing()
    start = s.say("find me |i want |search for |show me |look for an image of |can you find ")
    link = s.say(
        " in the colour of | with the same colour as | that matches the colour of | matching the color of |"
        " of the same colour as | which has the same color as | similar to the colour of "
    )
    return f"{start}{s.article(thing)}{link}{seen}", context, (Search(f"{colour} {thing}"),)


TALK: tuple[tuple[float, Callable[[Slots], Told]], ...] = (
    (3, chat),
    (2.5, steps),
    (2, answer),
    (1, follow_light),
    (1, follow_turn),
    (3, refer),
)
