"""Scenes of several items, for training counts and combinations: ``three red hats and a blue bag``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import numpy as np
from PIL import Image

from visavis.demo.items import adjectives, backgrounds_for, joined, one, other_colour, print_phrase, random_look
from visavis.demo.items import surface as surface_of
from visavis.demo.painter import backdrop, composite, paint_look, to_image
from visavis.demo.vocabulary import BACKGROUNDS, CATEGORIES, PATTERNS, Look, clearly_different, colour_distance

DEFAULT_SIZE = (384, 384)
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
_MOST = 6
#: Columns and rows of the layout grid.
_GRIDS = {1: ((1, 1),), 2: ((2, 1), (1, 2)), 3: ((3, 1), (2, 2)), 4: ((2, 2),), 5: ((3, 2),), 6: ((3, 2), (2, 3))}
_RELATIONS = {"left": "to the left of", "right": "to the right of", "above": "above", "below": "below"}
_OPPOSITE = {"left": "right", "right": "left", "above": "below", "below": "above"}
#: Words that people confuse, so they neither appear side by side in one colour nor make a negative.
_ALIKE = {"shirt", "top", "T-shirt"}
#: Least colour distance of two groups of one category.
_APART = 45.0


@dataclass(frozen=True)
class Group:
    """Several identical items."""

    count: int
    look: Look


@dataclass(frozen=True)
class DrawnScene:
    """The content of one scene.

    Attributes:
        relation: The position of the first group's only item relative to the second's, or empty.
        phrasing: The index of the caption's phrasing.
    """

    seed: int
    index: int
    groups: tuple[Group, ...]
    relation: str
    background: str
    phrasing: int = 0

    @property
    def id(self) -> str:
        """An id that is unique across all seeds."""
        return f"scene-{self.seed}-{self.index:06d}"

    @property
    def caption(self) -> str:
        """The chosen phrasing."""
        return _phrasings(self)[self.phrasing % len(_phrasings(self))]

    @property
    def captions(self) -> list[str]:
        """Every phrasing of the scene."""
        return list(dict.fromkeys(_phrasings(self)))


def describe_scene(seed: int, index: int) -> DrawnScene:
    """Return the scene with this number; deterministic."""
    random = Random(f"scene/{seed}/{index}")
    kind = random.choices(("count", "groups", "relation"), (35, 40, 25))[0]
    if kind == "count":
        groups = _groups(random, [random.randint(1, _MOST)])
    elif kind == "groups":
        first = random.randint(1, 4)
        second = random.randint(1, min(3, _MOST - first))
        rest = _MOST - first - second
        third = [random.randint(1, rest)] if rest and random.random() < 0.25 else []
        groups = _groups(random, [first, second, *third])
    else:
        groups = _groups(random, [1, 1])
    relation = random.choice(tuple(_RELATIONS)) if kind == "relation" else ""
    suited = [b for b in BACKGROUNDS if all(b in backgrounds_for(g.look.colour) for g in groups)]
    background = random.choice(suited or ["light grey"])
    return DrawnScene(seed, index, groups, relation, background, random.randrange(6))


def _groups(random: Random, counts: list[int]) -> tuple[Group, ...]:
    groups: list[Group] = []
    while len(groups) < len(counts):
        look = _simple_look(random)
        if all(_distinguishable(look, other.look) for other in groups):
            groups.append(Group(counts[len(groups)], look))
    return tuple(groups)


def _simple_look(random: Random) -> Look:
    """Return a look that is fully described by its colours, its pattern and its name."""
    look = random_look(random, random.choice(CATEGORIES))
    keep = tuple(d for d in look.details if d == "buttons" and look.category in ("shirt", "coat"))
    plain = random.random() < 0.6
    pattern = "plain" if plain else look.pattern
    return replace(look, details=keep, pattern=pattern, second_colour="" if pattern == "plain" else look.second_colour)


def _distinguishable(one_look: Look, other: Look) -> bool:
    related = {one_look.category, other.category} <= _ALIKE
    return (
        not (related or one_look.category == other.category) or colour_distance(one_look.colour, other.colour) >= _APART
    )


def draw_scene(scene: DrawnScene, size: tuple[int, int] = DEFAULT_SIZE) -> Image.Image:
    """Draw the items on a grid with small offsets; the same scene gives the same pixels."""
    random = Random(f"scene drawing/{scene.seed}/{scene.index}")
    width, height = size
    pixels = backdrop(scene.background, width, height, random)
    looks = [group.look for group in scene.groups for _ in range(group.count)]
    cells, (columns, rows) = _cells(scene, len(looks), random)
    cell = (width // columns, height // rows)
    for look, (column, row) in zip(looks, cells, strict=True):
        sprite = paint_look(look, cell, random, margin=0.09)
        shift = [random.uniform(-0.035, 0.035) * side for side in cell]
        left = int(np.clip(column * cell[0] + shift[0], 0, width - cell[0]))
        top = int(np.clip(row * cell[1] + shift[1], 0, height - cell[1]))
        composite(pixels, sprite, left, top, cell[1] / 400)
    return to_image(pixels)


def _cells(scene: DrawnScene, count: int, random: Random) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    if scene.relation:
        grid = (2, 1) if scene.relation in ("left", "right") else (1, 2)
        cells = [(0, 0), (grid[0] - 1, grid[1] - 1)]
        return (cells if scene.relation in ("left", "above") else cells[::-1]), grid
    columns, rows = random.choice(_GRIDS[count])
    every = [(column, row) for row in range(rows) for column in range(columns)]
    chosen = sorted(random.sample(every, count), key=every.index)
    if random.random() < 0.5:
        random.shuffle(chosen)
    return chosen, (columns, rows)


def _plural(look: Look, count: int) -> str:
    name = look.kind or look.category
    if look.category in ("shoes", "trousers"):
        return name
    return name + ("es" if name.endswith(("s", "sh", "ch")) else "s") if count > 1 else name


def group_phrase(group: Group, *, by_print: bool = False, by_category: bool = False) -> str:
    """Return a group in words: ``three red hats``, ``two pairs of blue trousers``, ``a green bag with white dots``."""
    look = replace(group.look, kind="") if by_category else group.look
    after = f" with {print_phrase(look)}" if look.pattern == "logo" or (by_print and look.pattern != "plain") else ""
    before = look.colour if by_print else adjectives(look)
    words = f"{before} {_plural(look, group.count)}{_each(look, group.count, after)}"
    if group.count == 1:
        return one(words, look)
    pairs = "pairs of " if look.category in ("shoes", "trousers") else ""
    return f"{_NUMBERS[group.count]} {pairs}{words}"


def _each(look: Look, count: int, after: str) -> str:
    """Put the logo into the plural: ``two hats with a star logo`` becomes ``with star logos``."""
    if count == 1 or look.pattern != "logo" or not after:
        return after
    return f" with {look.second_colour} {look.logo} logos"


def _phrase(scene: DrawnScene, *, by_print: bool = False, by_category: bool = False) -> str:
    phrases = [group_phrase(g, by_print=by_print, by_category=by_category) for g in scene.groups]
    if scene.relation:
        return f"{phrases[0]} {_RELATIONS[scene.relation]} {phrases[1]}"
    return joined(phrases)


def _phrasings(scene: DrawnScene) -> list[str]:
    plain, printed = _phrase(scene), _phrase(scene, by_print=True)
    surface = surface_of(replace(scene.groups[0].look, background=scene.background))
    texts = [
        f"{plain}.",
        f"{plain} {surface}.",
        f"{printed}.",
        f"{_phrase(scene, by_category=True)}.",
        f"A picture of {plain}.",
        f"{_backwards(scene)}.",
    ]
    return [text[0].upper() + text[1:] for text in texts]


def _backwards(scene: DrawnScene) -> str:
    return _phrase(replace(scene, groups=scene.groups[::-1], relation=_OPPOSITE.get(scene.relation, "")))


def scene_negatives(scene: DrawnScene) -> list[str]:
    """Return captions in the scene's own phrasing with one error: a count, a colour, a pattern, an object, a place."""
    random = Random(f"scene negatives/{scene.seed}/{scene.index}")
    true = set(scene.captions)
    wrong = [s for i in range(len(scene.groups)) for s in _wrong_group(scene, i, random)] + _swapped(scene)
    return [text for text in dict.fromkeys(w.caption for w in wrong) if text not in true]


def _wrong_group(scene: DrawnScene, index: int, random: Random) -> list[DrawnScene]:
    group = scene.groups[index]
    look = group.look
    wrong = [replace(group, look=replace(look, colour=other_colour(look.colour, random, look.second_colour)))]
    if not scene.relation:
        wrong += [replace(group, count=n) for n in (group.count - 1, group.count + 1) if 1 <= n <= _MOST]
    pattern = random.choice([p for p in PATTERNS if p not in (look.pattern, "plain", "logo")])
    second = look.second_colour or other_colour(look.colour, random)
    wrong.append(replace(group, look=replace(look, pattern=pattern, second_colour=second)))
    taken = {g.look.category for g in scene.groups}
    taken |= _ALIKE if taken & _ALIKE else set()
    category = random.choice([c for c in CATEGORIES if c not in taken])
    wrong.append(
        replace(
            group,
            look=replace(
                random_look(random, category),
                colour=look.colour,
                pattern=look.pattern,
                second_colour=look.second_colour,
                logo=look.logo,
            ),
        )
    )
    return [replace(scene, groups=(*scene.groups[:index], bad, *scene.groups[index + 1 :])) for bad in wrong]


def _swapped(scene: DrawnScene) -> list[DrawnScene]:
    """Return scenes with attributes swapped between items."""
    if len(scene.groups) < 2:
        return []
    first, second, *rest = scene.groups
    differ = clearly_different(first.look.colour, second.look.colour)
    looks = (replace(first.look, colour=second.look.colour), replace(second.look, colour=first.look.colour))
    wrong = [replace(scene, groups=(replace(first, look=looks[0]), replace(second, look=looks[1]), *rest))]
    if first.look.category == second.look.category or not differ:
        wrong = []  # swapping the colours of two hats may describe the same picture
    wrong.append(replace(scene, groups=(replace(first, count=second.count), replace(second, count=first.count), *rest)))
    if scene.relation:
        wrong.append(replace(scene, relation=_OPPOSITE[scene.relation]))
    return wrong
