"""The modification generation framework of MAI (Chen et al., ICLR 2025, section 3) over products with attributes.

Pictures of a session are products of one category. Each is described against the one before (base), against an
earlier one that is preferred (rollback), or by what it shares with several (combination). What the paper has a
language model say about two captions is said here from the attributes and the titles' words, so it is always true;
pictures in between are not steps towards the last one (section 7.3).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from visavis.errors import BadInputError
from visavis.lab.datasets.multiturn import ORDINALS, Request, Session
from visavis.lab.datasets.product_attributes import ASPECTS, Product

#: How often a turn after the first tries to go back, and to combine: some cannot, and about 0.3 of each are left.
ROLLBACK, COMBINATION = 0.33, 0.31
#: Differences of a request at most, and products that are looked at for a picture.
_NAMED, _TRIED = 3, 40
#: What a request keeps of an earlier picture.
_KEPT = ("colour", "pattern", "cut", "material", "brand")
_SAYS: dict[str, tuple[str, ...]] = {
    "colour": ("is {x}", "in {x}", "{x} instead of {y}", "is more {x}", "the colour should be {x}", "a {x} one"),
    "pattern": ("is {x}", "with a {x} design", "has a {x} pattern", "{x} rather than {y}"),
    "cut": ("is {x}", "a {x} style", "has a {x} shape", "{x} instead of {y}"),
    "material": ("is made of {x}", "in {x}", "with {x}", "{x} instead of {y}"),
    "style": ("is more {x}", "for {x} wear", "a {x} look", "looks more {x}"),
    "wearer": ("is for {x}", "for {x}", "made for {x}"),
    "brand": ("is by {x}", "from {x}", "a {x} one", "the brand is {x}"),
}
_BACK = (
    "Compared to this one I prefer the {}, and ", "I would rather choose the {}, and ", "I prefer the {}, and ",
    "I like the {} better, and ", "Compared to the most recent one, I still prefer the {}. Building on that, ",
    "I would rather have the {}, but ",
)  # fmt: skip
_KEEP = ("keep the {aspect} in the {turn} turn", "keep the {turn}'s {aspect}", "keep the {aspect} of the {turn}")
_KEEP_VALUE = ("keep the {turn}'s {x} {aspect}", "keep the {x} {aspect} of the {turn}")
_JOINED = (", ", " and ", ", and ")


def described(product: Product) -> str:
    """A short description: "white lace", or the title where nothing is known.

    >>> described(Product("1", "Tops", "Pret Women Top", {"colour": "white", "material": "lace"}))
    'white lace'
    """
    known = [product.aspects[a] for a in ("colour", "pattern", "material", "cut") if a in product.aspects]
    return " ".join(known[:2]) or product.title


@dataclass(frozen=True)
class _Category:
    products: tuple[Product, ...]
    holders: dict[tuple[str, str], list[Product]]


class SessionMaker:
    """Draws sessions. The same seed and number give the same session."""

    def __init__(self, products: Sequence[Product], seed: int = 0, openings: float = 0.0) -> None:
        """Sort the products.

        Args:
            products: The products that may occur.
            seed: Draws everything.
            openings: The share of sessions that begin with a description instead of a picture.
        """
        found: dict[str, list[Product]] = {}
        for product in products:
            found.setdefault(product.category, []).append(product)
        self._categories = {name: _sorted_out(own) for name, own in found.items()}
        self._seed, self._openings = seed, openings

    def sessions(self, number: int, turns: Sequence[int]) -> Iterator[Session]:
        """Draw sessions; their numbers of turns are drawn from ``turns``."""
        most = max(turns)
        names = sorted(name for name, own in self._categories.items() if len(own.products) >= most + 3)
        if not names:
            raise BadInputError(f"No category has {most + 3} products.", "Ask for fewer turns.")
        sizes = [len(self._categories[name].products) for name in names]
        for at in range(number):
            draw = random.Random(f"{self._seed} {at}")
            category = self._categories[draw.choices(names, sizes)[0]]
            yield self._session(category, draw.choice(turns), draw)

    def _session(self, category: _Category, turns: int, draw: random.Random) -> Session:
        seen: list[Product | None] = [draw.choice(category.products)]
        requests: list[Request] = []
        if draw.random() < self._openings:
            seen = [None, draw.choice(category.products)]
            requests.append(Request(_opening(seen[1], draw)))
        while len(requests) < turns:
            product, request = self._turn(category, seen, draw)
            seen.append(product)
            requests.append(request)
        ids = tuple(one.id if one else "" for one in seen)
        return Session(ids, tuple(requests), tuple(one.title if one else "" for one in seen))

    def _turn(self, category: _Category, seen: list[Product | None], draw: random.Random) -> tuple[Product, Request]:
        earlier = [place for place, one in enumerate(seen[:-1]) if one is not None]
        way = draw.random()
        made = None
        if earlier and way < ROLLBACK:
            made = _rollback(category, seen, earlier, draw)
        elif earlier and way < ROLLBACK + COMBINATION:
            made = _combination(category, seen, earlier, draw)
        return made or _base(category, seen, draw)


def _sorted_out(products: Sequence[Product]) -> _Category:
    holders: dict[tuple[str, str], list[Product]] = {}
    for product in products:
        for one in product.aspects.items():
            holders.setdefault(one, []).append(product)
    return _Category(tuple(products), holders)


def _opening(product: Product | None, draw: random.Random) -> str:
    assert product is not None
    words = [product.aspects[a] for a in ("colour", "pattern", "material", "cut") if a in product.aspects]
    said = " ".join([*draw.sample(words, min(len(words), draw.choice((1, 2, 2, 3)))), product.category.lower()])
    if "wearer" in product.aspects and draw.random() < 0.5:
        said += f" for {product.aspects['wearer']}"
    if "brand" in product.aspects and draw.random() < 0.2:
        said += f" by {product.aspects['brand']}"
    return draw.choice(("{}", "I am looking for {}", "show me {}", "{}, please")).format(said)


def _base(category: _Category, seen: list[Product | None], draw: random.Random) -> tuple[Product, Request]:
    last = seen[-1]
    assert last is not None
    product = _near(category.products, last, seen, draw)
    return product, Request(_changes(product, [last], draw))


def _rollback(
    category: _Category, seen: list[Product | None], earlier: list[int], draw: random.Random
) -> tuple[Product, Request] | None:
    """A product nearer to an earlier picture than to the last one, so that going back is what one would do."""
    last = seen[-1]
    assert last is not None
    for place in draw.sample(earlier, len(earlier)):
        liked = seen[place]
        assert liked is not None
        product = _near(category.products, liked, seen, draw, partial(_nearer, liked=liked, last=last))
        if _nearer(product, liked, last):
            turn = place + 1
            name = draw.choice((ORDINALS[place], ORDINALS[place], f"{described(liked)} of the {ORDINALS[place]}"))
            if draw.random() < 0.25 and not any(one and described(one) == described(liked) for one in seen[turn:]):
                name = f"{described(liked)} one"
            return product, Request(
                draw.choice(_BACK).format(name) + _changes(product, [liked], draw), "rollback", (place,)
            )
    return None


def _nearer(product: Product, liked: Product, last: Product) -> bool:
    return product.agreement(liked) > product.agreement(last)


def _combination(
    category: _Category, seen: list[Product | None], earlier: list[int], draw: random.Random
) -> tuple[Product, Request] | None:
    """A product that shares an aspect with one or two earlier pictures; which one is said by its turn."""
    used = {one.id for one in seen if one}
    for place in draw.sample(earlier, len(earlier)):
        first = seen[place]
        assert first is not None
        for aspect in draw.sample(_KEPT, len(_KEPT)):
            holders = category.holders.get((aspect, first.aspects.get(aspect, "")), [])
            fitting = [one for one in draw.sample(holders, min(len(holders), _TRIED)) if one.id not in used]
            if not fitting:
                continue
            others = [p for p in range(len(seen)) if p != place and seen[p] is not None]
            product = max(fitting, key=partial(_shared_best, seen=seen, others=others, aspect=aspect))
            kept = [(place, aspect)]
            for other in draw.sample(others, len(others)):
                shared = [a for a in _KEPT if a != aspect and _same(product, seen[other], a)]
                if shared:
                    kept.append((other, draw.choice(shared)))
                    break
            said = " and ".join(_keep(product, turn, name, draw) for turn, name in sorted(kept))
            references = [one for turn, _ in kept if (one := seen[turn]) is not None]
            rest = _changes(product, references, draw, tuple(name for _, name in kept))
            text = f"{rest}, {said}" if draw.random() < 0.5 else f"{said}, {rest}"
            return product, Request(text, "combination", tuple(turn for turn, _ in kept))
    return None


def _same(product: Product, other: Product | None, aspect: str) -> bool:
    return other is not None and aspect in product.aspects and product.aspects[aspect] == other.aspects.get(aspect)


def _shared_best(product: Product, seen: list[Product | None], others: list[int], aspect: str) -> int:
    return max((sum(_same(product, seen[p], a) for a in _KEPT if a != aspect) for p in others), default=0)


def _keep(product: Product, place: int, aspect: str, draw: random.Random) -> str:
    forms = _KEEP_VALUE if draw.random() < 0.3 else _KEEP
    return draw.choice(forms).format(aspect=aspect, turn=ORDINALS[place], x=product.aspects[aspect])


def _near(
    products: Sequence[Product],
    anchor: Product,
    seen: Sequence[Product | None],
    draw: random.Random,
    fits: Callable[[Product], bool] | None = None,
) -> Product:
    """Another product that differs from the anchor in a few aspects, so that they can all be named."""
    used = {one.id for one in seen if one}
    tried = [one for one in draw.sample(products, min(len(products), _TRIED)) if one.id not in used]
    if not tried:
        tried = [one for one in products if one.id not in used]
    told = [one for one in tried if 1 <= len(one.differences(anchor)) <= _NAMED] or tried
    fitting = [one for one in told if fits(one)] if fits else told
    return draw.choice(fitting or told)


def _changes(product: Product, references: list[Product], draw: random.Random, kept: tuple[str, ...] = ()) -> str:
    """What is different, in words; the most noticeable differences first."""
    main = references[0]
    wanted = [a for a in product.differences(main) if a not in kept]
    if len(references) > 1:
        wanted = [
            a for a in wanted if all(product.aspects[a] != one.aspects.get(a) for one in references[1:])
        ] or wanted
    chosen = sorted(draw.sample(wanted, min(len(wanted), _NAMED)), key=ASPECTS.index)
    if not chosen:
        return "otherwise something else" if kept else f"more like {product.title.lower()}"
    said = []
    for aspect in chosen:
        before = main.aspects.get(aspect)
        forms = [form for form in _SAYS[aspect] if before or "{y}" not in form]
        said.append(draw.choice(forms).format(x=product.aspects[aspect], y=before))
    return draw.choice(_JOINED).join(said)
