"""Generated messages about what to see, with the commands that they ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from visavis.lab.dialogues.slots import Slots
from visavis.language.commands import (
    THIS,
    AtTurn,
    Avoid,
    Command,
    Fewer,
    Filter,
    Forget,
    Keep,
    Like,
    More,
    Random,
    Refine,
    Rollback,
    Search,
    Select,
    Shown,
    Sort,
    Unlike,
)
from visavis.language.context import Context, NumberRange

Told = tuple[str, Context, tuple[Command, ...]]

_FIND = (
    "find me|find|show me|search for|look for|i am looking for|i'm looking for|i need|i want to see|get me|fetch me|"
    "do you have|give me|i was looking for|can you find|could you show me|i would like to see|bring up|let me see|"
    "browse for|i want|help me find|pull up|any chance you have"
)
_OF = (
    "||||a picture of |an image of |images of |pictures of |a photo of |some photos of |an image with |"
    "a pic of |shots of "
)
_WHY = (
    "||||||i'm decorating my flat. |it's for a project, |we are planning a party. |hey there, |"
    "i'm bored, |i love animals. "
)
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def started(s: Slots) -> Context:
    """A conversation with results on the screen."""
    columns = s.number(2, 6)
    return Context(turns=s.number(2, 9), shown=columns * s.number(1, 4), columns=columns, topic=s.thing())


def search(s: Slots) -> Told:
    """New searches, first and later ones."""
    phrase = s.phrase()
    wanted = s.article(phrase)
    if s.chance.random() < 0.6:
        return s.say(_WHY) + s.say(_FIND) + " " + s.say(_OF) + wanted, _maybe_started(s), (Search(phrase),)
    text = s.say("{p}|{w}|{p} please|{p} pictures|{p} images", p=phrase, w=wanted)
    return text, Context(), (Search(phrase),)


def _maybe_started(s: Slots) -> Context:
    return Context() if s.chance.random() < 0.5 else started(s)


def refine(s: Slots) -> Told:
    """Absolute and relative refinements."""
    if s.chance.random() < 0.5:
        wish = s.compared()
        frame = s.say("|||something |make it |with |i'd prefer |it should be |a bit |can it be |is |has ")
        return f"{frame}{wish}", started(s), (Refine(f"a bit {wish}" if frame == "a bit " else wish),)
    colour, part, scene = s.colour(), s.part(), s.scene()
    text, wish = s.chance.choice(
        (
            (f"in {colour}", f"in {colour}"),
            (f"i want it in {colour}", f"in {colour}"),
            (f"do you have it in {colour}", f"in {colour}"),
            (f"with a {part}", f"with a {part}"),
            (f"it should have a {part}", part),
            (f"what about {colour}", colour),
            (f"but in {colour}", f"in {colour}"),
            (f"show me {colour} ones", colour),
            (scene, scene),
            (f"it should be {scene}", scene),
        )
    )
    return text, started(s), (Refine(wish),)


def avoid(s: Slots) -> Told:
    """What not to show."""
    thing = s.chance.choice((s.thing(), s.part(), s.colour(), "people", "text", "stripes"))
    text = s.say(
        "no {t}|without {t}|i don't want {t}|nothing with {t}|not {t}|please avoid {t}|exclude {t}|anything but {t}|"
        "i hate {t}|leave out {t}|get rid of everything with {t}|don't show me {t}|i'd rather not see {t}|"
        "stop showing me {t}|there should be no {t}",
        t=thing,
    )
    return text, started(s), (Avoid(thing),)


def point(s: Slots) -> Told:
    """Pictures taken in hand, liked, disliked."""
    context = started(s)
    number = s.number(1, min(8, context.shown))
    picture, kind = Shown(number), s.chance.random()
    said = s.say(
        "number {n}|#{n}|the {o} one|the {o} picture|picture {n}|no. {n}", n=str(number), o=ORDINALS[number - 1]
    )
    if kind < 0.3:
        text = s.say("{p}|select {p}|i'll take {p}|open {p}|let me see {p}|go with {p}|i choose {p}", p=said)
        return text, context, (Select(picture),)
    if kind < 0.65:
        text = s.say(
            "i like {p}|more like {p}|something similar to {p}|{p} is nice|i love {p}|{p} comes closest|"
            "show me others like {p}|along the lines of {p}",
            p=said,
        )
        if s.chance.random() < 0.4:
            wish = s.chance.choice((s.colour(), f"in {s.colour()}", s.compared()))
            return f"{text} but {wish}", context, (Like(picture), Refine(wish))
        return text, context, (Like(picture),)
    if kind < 0.8:
        text = s.say("i don't like {p}|not {p}|nothing like {p}|i hate {p}|less like {p}|away from {p}", p=said)
        return text, context, (Unlike(picture),)
    text = s.say("more like this|i want more of these|similar ones|find me others like this|something like this")
    return text, replace(context, picture=True), (Like(THIS),)


def go_back(s: Slots) -> Told:
    """Rollbacks to a turn."""
    context = started(s)
    turn = s.number(1, min(8, context.turns))
    if s.chance.random() < 0.3:
        text = s.say(
            "the ones before were better|go back to the previous results|i liked the previous pictures more|"
            "the last results were better|return to the earlier results"
        )
        return text, context, (Rollback(context.turns - 1),)
    text = s.say(
        "go back to turn {n}|back to step {n}|return to the {o} turn|rollback to {n}|i preferred turn {n}|"
        "i preferred the {o} one|i still prefer the item from the {o} turn|what we had in turn {n} was better|"
        "take me back to turn {n}|let's return to round {n}",
        n=str(turn),
        o=ORDINALS[turn - 1],
    )
    if s.chance.random() < 0.3:
        wish = s.chance.choice((s.compared(), f"in {s.colour()}"))
        return f"{text} but {wish}", context, (Rollback(turn), Refine(wish))
    return text, context, (Rollback(turn),)


def keep(s: Slots) -> Told:
    """Combinations of what was seen."""
    context = started(s)
    first, second = s.aspect(), s.aspect()
    one, two = s.number(1, min(8, context.turns)), s.number(1, min(8, context.turns))
    kind = s.chance.random()
    if kind < 0.35:
        text = s.say(
            "keep the {a} of turn {n}|keep the {a} from the {o} turn|i want the {a} of turn {n}|"
            "use the {a} of turn {n} again|the {a} should be as in turn {n}",
            a=first,
            n=str(one),
            o=ORDINALS[one - 1],
        )
        return text, context, (Keep(first, AtTurn(one)),)
    if kind < 0.65:
        text = s.say(
            "keep the {a} of turn {n} and the {b} of turn {m}|combine the {a} of turn {n} with the {b} of turn {m}|"
            "the {a} from turn {n} with the {b} from turn {m}",
            a=first,
            b=second,
            n=str(one),
            m=str(two),
        )
        return text, context, (Keep(first, AtTurn(one)), Keep(second, AtTurn(two)))
    number = s.number(1, min(8, context.shown))
    if kind < 0.85:
        text = s.say(
            "keep the {a} of #{n}|i want the {a} of number {n}|with the {a} of the {o} one",
            a=first,
            n=str(number),
            o=ORDINALS[number - 1],
        )
        return text, context, (Keep(first, Shown(number)),)
    wish = s.compared()
    return (
        s.say("same {a} but {w}|keep the {a}, but {w}", a=first, w=wish),
        context,
        (Keep(first, THIS), Refine(wish)),
    )


def browse(s: Slots) -> Told:
    """More, fewer, anything, and what no longer matters."""
    count, aspect = s.number(2, 30), s.aspect()
    choices: tuple[tuple[str, Command], ...] = (
        ("more|show me more|more results|next page|anything else?|what else do you have|keep going|see more", More()),
        ("{n} more|show me {n} more|the next {n}", More(count)),
        ("fewer|fewer results|too many pictures|show fewer", Fewer()),
        ("only show {n}|just {n} at a time|show me only {n} pictures", Fewer(count)),
        ("surprise me|show me something random|random picture|anything at random", Random()),
        (
            "forget about the {a}|never mind the {a}|any {a} is fine|the {a} doesn't matter|i don't care about the {a}",
            Forget(aspect),
        ),
    )
    texts, command = s.chance.choice(choices)
    return s.say(texts, n=str(count), a=aspect), started(s), (command,)


WISHES: tuple[tuple[float, Callable[[Slots], Told]], ...] = (
    (6, search),
    (4, refine),
    (2.5, avoid),
    (3, point),
    (2, go_back),
    (2, keep),
    (1.5, browse),
)


SHOP: dict[str, tuple[str, ...] | NumberRange] = {
    "price": NumberRange(5, 900),
    "year": NumberRange(2005, 2024),
    "colour": ("Red", "Blue", "Black", "White", "Green", "Grey"),
    "gender": ("Men", "Women", "Boys", "Girls"),
    "type": ("Shirts", "Jeans", "Shoes", "Watches", "Dresses", "Bags"),
    "brand": ("Nike", "Puma", "Adidas", "Fossil", "Levis"),
}
_WORDED: tuple[tuple[str, tuple[str, ...]], ...] = tuple(
    (name, values) for name, values in SHOP.items() if isinstance(values, tuple)
)


def filters(s: Slots) -> Told:
    """Filters by number and by value, and orders."""
    price, year = float(s.number(10, 500, 5)), float(s.number(2008, 2020))
    field, values = s.chance.choice(_WORDED)
    value, other = s.chance.sample(values, 2)
    choices: tuple[tuple[str, tuple[Command, ...]], ...] = (
        (
            "under {m}|below {m}|less than {m}|cheaper than {m}|it must cost less than {m}",
            (Filter("price", "<", (price,)),),
        ),
        ("at most {m}|up to {m}|no more than {m}|maximum {m}", (Filter("price", "<=", (price,)),)),
        ("over {m}|more than {m}|above {m}", (Filter("price", ">", (price,)),)),
        ("at least {m}|starting at {m}|minimum {m}", (Filter("price", ">=", (price,)),)),
        ("from {y}|from the year {y}|made in {y}", (Filter("year", "=", (year,)),)),
        ("since {y}|since the year {y}", (Filter("year", ">=", (year,)),)),
        ("before {y}|older than {y}", (Filter("year", "<", (year,)),)),
        (
            "between {p} and {q}|from {p} to {q} dollars",
            (Filter("price", ">=", (price,)), Filter("price", "<=", (price + 50,))),
        ),
        (
            "only {v}|just {v} please|nothing but {v}|show only {v}|limit it to {v}",
            (Filter(field, "=", (value,)),),
        ),
        ("only {v} or {o}|just {v} and {o}", (Filter(field, "=", (value, other)),)),
        ("no {v}|not {v}|anything but {v}", (Filter(field, "!=", (value,)),)),
        ("cheapest first|sort by price|lowest price first|order by price", (Sort("price", "asc"),)),
        ("most expensive first|sort by price descending|highest price first", (Sort("price", "desc"),)),
        ("newest first|latest first|sort by year, newest first", (Sort("year", "desc"),)),
    )
    texts, commands = s.chance.choice(choices)
    text = s.say(
        texts,
        m=s.say("{n}|${n}|{n} euros|{n} dollars|€{n}", n=f"{price:g}"),
        p=f"{price:g}",
        q=f"{price + 50:g}",
        y=f"{year:g}",
        v=value.lower() if s.chance.random() < 0.7 else value,
        o=other.lower(),
    )
    return text, replace(started(s), attributes=SHOP), commands
