"""Generated filters and orders, grounded in the attributes of a shop."""

from __future__ import annotations

from dataclasses import replace

from visavis.lab.dialogues.slots import Slots
from visavis.lab.dialogues.wishes import Told, started
from visavis.language.commands import Command, Filter, Sort
from visavis.language.context import NumberRange

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
