"""Short wishes in collections with many attributes: what people say first in a shop, composed from its own words.

A first search keeps its colours and looks in its text ("a grey coat"), a value that is named alone is a filter ("navy
ones"), a comparison is a wish ("longer sleeves"). Shops differ in the names, the spelling and the order of what they
tell, so that the network learns to look and not to know one shop by heart.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from visavis.lab.datasets.talk import Row
from visavis.lab.training.parser_trades import COLOURS, FASHION, HOME, Trade
from visavis.language.commands import Avoid, Command, Filter, Forget, Refine, Search, Sort
from visavis.language.context import Attribute, Context, NumberRange

_TRADES = (FASHION, FASHION, FASHION, HOME)
_CALLED = {
    "colour": "colour colour colour color Colour baseColour main_colour".split(),
    "category": "category category category articleType type product Category kind_of_item".split(),
    "background": ["background"],
    "second_colour": "second_colour second_colour accent".split(),
}
_ASKING = (
    "{}|{}|{}|{}|{}|{}|{} please|show me {}|i want {}|i need {}|looking for {}|do you have {}|find me {}|"
    "any {}?|{} maybe|can i see {}|got {}?|search for {}|{} for me|let's see {}|i'd like {}|hi, {}|"
    "show {}|have you got {}?"
).split("|")
_AGAIN = "now {}|{} then|actually {}|and {}|next, {}|ok now show me {}|forget that, {}|what about {}?|{} instead".split(
    "|"
)
_NAMED = (
    "{}|{}|{}|{} please|in {}|{} ones|the {} ones|only {}|only {} ones|just {}|make it {}|i'd like {}|"
    "{} would be nice|show me {} ones|{}!|maybe {}|ok, {}|has to be {}|must be {}|{}?|"
    "can i see them in {}|any in {}?|do you have it in {}"
).split("|")
_REFUSED = (
    "not {}|no {}|anything but {}|nothing {}|no {} ones|not the {} ones|without the {} ones|"
    "everything except {}|{} is out|i don't want {}|please no {}|no {} please"
).split("|")
_COMPARING = (
    "{}|{}|{}|{}|{} please|with {}|{} ones|something {}|could they be {}|i want {}|i'd like {}|"
    "show me {} ones|make it {}|it should be {}|but {}|a bit {}"
).split("|")
_PRICES = (
    ("under {}", "<"),
    ("below {}", "<"),
    ("less than {}", "<"),
    ("up to {}", "<="),
    ("at most {}", "<="),
    ("over {}", ">"),
)
#: Orders by price, and how they are said after something else.
_ORDERS: tuple[tuple[Literal["asc", "desc"], tuple[str, ...]], ...] = (
    ("asc", ("cheapest first", "cheapest on top", "lowest price first")),
    ("desc", ("most expensive first", "dearest first", "highest price first")),
)


class ShopTalk:
    """Endless rows.

    Args:
        seed: The same seed gives the same rows.
        shops: Attributes of further collections, from which some are borrowed.
    """

    def __init__(self, seed: int = 0, shops: Sequence[Mapping[str, Attribute]] = ()) -> None:
        self._chance = random.Random(seed)
        self._borrowed = [(name, values) for shop in shops for name, values in shop.items()]

    def rows(self) -> Iterator[Row]:
        """Rows, one in its own shop each."""
        while True:
            trade = self._chance.choice(_TRADES)
            shop = _Shop(self._chance, trade, self._borrowed)
            say = self._chance.choices(
                (shop.search, shop.named, shop.several, shop.compared, shop.refused, shop.exchanged),
                (50, 18, 10, 16, 7, 5),
            )[0]
            yield say()


class _Shop:
    """One collection, and what may be said in it."""

    def __init__(self, chance: random.Random, trade: Trade, borrowed: Sequence[tuple[str, Attribute]]) -> None:
        self._chance, self._trade = chance, trade
        case = chance.choice((str.lower, str.lower, str.lower, str.title))
        self._names = {name: chance.choice(called) for name, called in _CALLED.items()}
        self.colours = self._some(tuple(map(case, COLOURS)), 6, 24)
        found: dict[str, Attribute] = {
            self._names["colour"]: self.colours,
            self._names["category"]: self._some(trade.categories, 5, 14),
        }
        for name, values in {**trade.looks, **trade.others}.items():
            if chance.random() < (0.8 if name in trade.looks else 0.35):
                found[name] = self._some(values, 3, 12)
        if chance.random() < 0.6:
            found[self._names["background"]] = self._some(("white", "pale blue", "light grey", "cream", "wooden"), 2, 5)
        if chance.random() < 0.6:
            found[self._names["second_colour"]] = self._some(self.colours, 3, 20)
        if chance.random() < 0.85:
            found["price"] = NumberRange(float(chance.choice((5, 10, 13.99, 199))), float(chance.randint(240, 9000)))
        for name, borrowed_values in chance.sample(list(borrowed), min(len(borrowed), chance.choice((0, 0, 1, 2)))):
            if isinstance(borrowed_values, NumberRange):
                found.setdefault(name, borrowed_values)
        names = list(found)
        chance.shuffle(names)
        self.attributes: Mapping[str, Attribute] = MappingProxyType({name: found[name] for name in names})

    def _some(self, values: Sequence[str], least: int, most: int) -> tuple[str, ...]:
        return tuple(self._chance.sample(list(values), min(len(values), self._chance.randint(least, most))))

    def _context(self, topic: str = "") -> Context:
        if not topic:
            return Context(attributes=self.attributes, columns=self._chance.choice((0, 0, 4)))
        turns, columns = self._chance.randint(1, 6), self._chance.choice((0, 3, 4, 4, 4, 5))
        return Context(turns=turns, shown=12, columns=columns, topic=topic, attributes=self.attributes)

    def _colour(self) -> str:
        return self._chance.choice(self.colours if self._chance.random() < 0.85 else COLOURS).lower()

    def _thing(self) -> tuple[str, str]:
        """A thing with its looks, and the noun alone."""
        chance, looks = self._chance, self._trade.looks
        one, many = chance.choice(self._trade.nouns)
        noun = chance.choice((one, many))
        before: list[str] = []
        if chance.random() < 0.7:
            before.append(self._colour())
        for name in chance.sample(("pattern", "length", "fit", "style", "shape", "finish"), 6):
            if name in looks and chance.random() < (0.09 if before else 0.25):
                before.insert(0, chance.choice(looks[name]).lower())
        phrase = " ".join((*before, noun))
        part = chance.choice(self._trade.parts)
        if chance.random() < 0.12:
            phrase += chance.choice((f" with {part}", f" with a {part}" if not part.endswith("s") else f" with {part}"))
        elif chance.random() < 0.06 and "sleeves" in looks:
            phrase += f" with {chance.choice(('long', 'short', 'puffy'))} sleeves"
        return phrase, noun

    def _spoken(self, phrase: str) -> str:
        """A phrase with its article, as people say or leave it."""
        noun_is_many = phrase.split(" with ")[0].endswith("s") and not phrase.split(" with ")[0].endswith("ss")
        if noun_is_many or self._chance.random() < 0.35:
            return phrase
        return f"{'an' if phrase[0] in 'aeiou' else 'a'} {phrase}"

    def _price(self) -> tuple[str, Command] | None:
        if "price" not in self.attributes:
            return None
        text, comparison = self._chance.choice(_PRICES)
        amount = self._chance.choice((20, 30, 40, 50, 60, 75, 80, 90, 100, 120, 150, 200, 500, 1000))
        return text.format(amount), Filter("price", comparison, (float(amount),))  # type: ignore[arg-type]

    def search(self) -> Row:
        """A new thing: all its looks stay in the text."""
        chance = self._chance
        phrase, noun = self._thing()
        topic = ""
        if chance.random() < 0.4:
            topic, before = self._thing()
            if before.rstrip("s") == noun.rstrip("s"):
                topic = ""
        spoken = self._spoken(phrase)
        said = chance.choice(_AGAIN if topic and chance.random() < 0.4 else _ASKING).format(spoken)
        commands: list[Command] = [Search(phrase)]
        extra = chance.random()
        if extra < 0.08 and (part := chance.choice(self._trade.parts)) not in phrase:
            said = f"{said.rstrip('?')}{chance.choice((', no ', ' without ', ' but no '))}{part}"
            commands.append(Avoid(part))
        elif extra < 0.18 and (price := self._price()):
            said = f"{said.rstrip('?')}{chance.choice((' ', ', '))}{price[0]}"
            commands.append(price[1])
        elif extra < 0.24 and isinstance(brands := self.attributes.get("brand"), tuple) and " " not in spoken[:2]:
            brand = chance.choice(brands)
            said, commands = f"{brand} {phrase}", [Search(phrase), Filter("brand", "=", (brand,))]
        elif extra < 0.4 and isinstance(materials := self.attributes.get("material"), tuple):
            material = chance.choice(materials)
            form = chance.choice(("{m} {x}", "{m} {x}", "{x} {m}", "{x}, {m}", "{x} in {m}", "{x} made of {m}"))
            said = chance.choice(_ASKING).format(form.format(m=material.lower(), x=phrase))
            commands.append(Filter("material", "=", (material,)))
        return Row(said, self._context(topic), tuple(commands))

    def _value(self) -> tuple[str, str, str]:
        """The name of an attribute, one of its values, and how it is said."""
        chance = self._chance
        of_looks = ("pattern", "length", "fit", "sleeves", "neckline", "style", "shape", "finish", *self._trade.others)
        listed = {n: v for n, v in self.attributes.items() if n in of_looks and not isinstance(v, NumberRange)}
        if not listed or chance.random() < 0.6:
            value = chance.choice(self.colours)
            return self._names["colour"], value, value.lower()
        name = chance.choice(list(listed))
        value = chance.choice(listed[name])
        said = value if chance.random() < 0.5 else value.lower()
        if name == "sleeves" and value not in ("sleeveless", "straps"):
            said = f"{said} sleeves"
        elif name == "fit" and chance.random() < 0.4:
            said = f"{said} fit"
        elif name == "length" and chance.random() < 0.4 and "length" not in said:
            said = f"{said} length"
        elif name == "size" or (name == "neckline" and "neck" not in said and "collar" not in said):
            said = f"{'size ' if name == 'size' else ''}{said}{' neck' if name == 'neckline' else ''}"
        return name, value, said

    def named(self) -> Row:
        """A value alone is a filter."""
        chance = self._chance
        name, value, said = self._value()
        topic, _ = self._thing()
        values: tuple[str, ...] = (value,)
        spoken = said
        if name == self._names["colour"] and chance.random() < 0.2:
            other = chance.choice(self.colours)
            if other != value:
                values, spoken = (value, other), f"{said} or {other.lower()}"
        plain = name in ("pattern", "fit", "style", "shape", "length") and len(said.split()) < 3
        forms = [form for form in _NAMED if not re.search(r"\bin\b" if plain else r"\bin\b|ones", form)]
        forms = _NAMED if name == self._names["colour"] else forms
        message = chance.choice(forms).format(spoken)
        commands: list[Command] = [Filter(name, "=", values)]
        if chance.random() < 0.1 and (price := self._price()):
            message, commands = f"{message.rstrip('?')}, {price[0]}", [*commands, price[1]]
        return Row(message, self._context(topic), tuple(commands))

    def several(self) -> Row:
        """Values of several attributes, one filter each, and an order or a price at times."""
        chance = self._chance
        named = {name: (value, said) for name, value, said in (self._value() for _ in range(chance.choice((2, 3))))}
        commands: list[Command] = [Filter(name, "=", (value,)) for name, (value, _) in named.items()]
        parts = [f"in {said}" if at and chance.random() < 0.2 else said for at, (_, said) in enumerate(named.values())]
        if price := self._price():
            if chance.random() < 0.3:
                parts, commands = [*parts, price[0]], [*commands, price[1]]
            elif chance.random() < 0.3:
                order, forms = chance.choice(_ORDERS)
                parts, commands = [*parts, chance.choice(forms)], [*commands, Sort("price", order)]
        between = chance.choice((", ", ", ", " and ", " "))
        message = between.join(parts) if between != " " else ", ".join(parts[:-1]) + f" and {parts[-1]}"
        topic, _ = self._thing()
        return Row(message, self._context(topic), tuple(commands))

    def compared(self) -> Row:
        """A comparison is a wish in the person's own words, whatever values there are."""
        chance = self._chance
        wish = chance.choice(self._trade.compared)
        topic, _ = self._thing()
        form = chance.choice(_COMPARING)
        of_a_part = re.search(r"^(?:a )?(?!more|less|a )\w+ \w+", wish) is not None
        if re.search("ones|something|make|be|a bit" if of_a_part or wish.startswith("a ") else "with|like|want", form):
            form = "{}"
        message = form.format(wish)
        text = wish.removeprefix("a bit ").removeprefix("a little ").removeprefix("a ")
        commands: list[Command] = [Refine(text)]
        extra = chance.random()
        if extra < 0.2:
            colour = chance.choice(self.colours)
            message += chance.choice((", no {}", " but not {}", ", not {}", " and no {}")).format(colour.lower())
            commands.append(Filter(self._names["colour"], "!=", (colour,)))
        elif extra < 0.28:
            part = chance.choice(self._trade.parts)
            if part.rstrip("s") not in wish:
                message += chance.choice((", no {}", " and no {}", " without {}")).format(part)
                commands.append(Avoid(part))
        elif extra < 0.36:
            colour = chance.choice(self.colours)
            message += chance.choice((" and {}", ", {}", " and in {}")).format(colour.lower())
            commands.append(Filter(self._names["colour"], "=", (colour,)))
        elif extra < 0.42 and "price" in self.attributes:
            message += " and cheaper"
            commands.append(Sort("price", "asc"))
        return Row(message, self._context(topic), tuple(commands))

    def refused(self) -> Row:
        """A value that is not wanted."""
        chance = self._chance
        name, value, said = self._value()
        topic, _ = self._thing()
        if name not in (self._names["colour"], "pattern", "style", "brand", "material"):
            name, value = self._names["colour"], chance.choice(self.colours)
            said = value.lower()
        return Row(chance.choice(_REFUSED).format(said), self._context(topic), (Filter(name, "!=", (value,)),))

    def exchanged(self) -> Row:
        """Another colour than the one that was searched for."""
        chance = self._chance
        colour, other = chance.sample(list(self.colours), 2)
        noun = chance.choice(chance.choice(self._trade.nouns))
        form = chance.choice(
            ("{0} instead", "{0} instead of {1}", "{0}, not {1}", "rather {0} than {1}", "make that {0} instead")
        )
        commands = (Filter(self._names["colour"], "=", (colour,)), Forget(other.lower()))
        message = form.format(colour.lower(), other.lower())
        return Row(message, self._context(f"{other.lower()} {noun}"), commands)
