"""Words and amounts that fill the gaps of generated messages."""

from __future__ import annotations

import random
from dataclasses import dataclass

from visavis.language.lexicon import colours, things
from visavis.language.relative import ADJECTIVES, COMPARATIVES

_THINGS = tuple(sorted(things()))
_ADJECTIVES, _COMPARATIVES = tuple(sorted(ADJECTIVES)), tuple(sorted(COMPARATIVES))
_COLOURS = "red|blue|green|yellow|black|white|pink|purple|orange|brown|grey|navy|beige"
_LOOKS = "old|small|big|wooden|striped|modern|vintage|cute|large|plain|shiny|empty|long"
_SCENES = (
    "on the beach|at night|in the snow|in a park|under a tree|on a table|in the rain|at sunset|near a lake|"
    "in the kitchen|"
    "on a wall|with flowers|in the city|on a bench|by the window|next to a car|in the mountains|at a party|"
    "in the garden|"
    "on a boat|for kids|with a hat"
)
_ACTS = "riding|holding|eating|watching|carrying|playing with|sitting on|looking at|wearing|painting"
_PARTS = (
    "sleeves|collar|neckline|pattern|buttons|hem|straps|pockets|belt|print|logo|zip|heel|waist|hood|skirt|stripes|lace|"
    "background|sky"
)
_ASPECTS = "colour|color|pattern|shape|style|sleeves|collar|neckline|length|material|print|background|lighting|pose"
PLEASE = (
    "||||please |pls |can you |could you |could you please |would you |now |ok now |also |then |i want you to |"
    "i'd like you to |can we |let's |please can you |and now |kindly |is it possible to |i need you to |maybe |"
    "just |next |"
    "go ahead and |try to "
)
AFTER = "||||| please| pls| for me| thanks|.|!|?| now| if possible| thank you"
BEFORE = (
    "||||||nice. |great, |perfect! |thanks. |hmm, |ok. |yes. |wow, |cool. |very good. |yes, i like it. |"
    "not bad, |hi, |well, "
)


@dataclass
class Slots:
    """A source of words, always the same for the same seed."""

    chance: random.Random

    def say(self, ways: str, **words: str) -> str:
        """One of several ways to say something, separated by ``|``, with its gaps filled."""
        way = self.chance.choice(ways.split("|"))
        return way.format(**words) if words else way

    def thing(self) -> str:
        """A noun or noun phrase."""
        return self.chance.choice(_THINGS)

    def colour(self) -> str:
        """A colour name, now and then a rare one."""
        return self.say(_COLOURS) if self.chance.random() < 0.85 else self.chance.choice(tuple(colours()))

    def part(self) -> str:
        """A part of a garment or a picture."""
        return self.say(_PARTS)

    def aspect(self) -> str:
        """Something that can be kept of a picture."""
        return self.say(_ASPECTS)

    def scene(self) -> str:
        """Where or with what something is."""
        return self.say(_SCENES)

    def phrase(self) -> str:
        """A description: a thing, with what is said of it and where it is."""
        words = self.thing()
        if self.chance.random() < 0.3:
            words = f"{self.say(_LOOKS)} {words}"
        if self.chance.random() < 0.3:
            words = f"{self.colour()} {words}"
        if self.chance.random() < 0.2:
            words = f"{words} {self.say(_ACTS)} a {self.thing()}"
        return f"{words} {self.scene()}" if self.chance.random() < 0.25 else words

    def compared(self) -> str:
        """A comparison: "longer sleeves", "less formal"."""
        kind = self.chance.random()
        part = f" {self.part()}" if self.chance.random() < 0.5 else ""
        if kind < 0.5:
            return self.chance.choice(_COMPARATIVES) + part
        if kind < 0.85:
            return f"{self.say('more|less')} {self.chance.choice(_ADJECTIVES)}{part}"
        return f"{self.say('more|fewer|less')} {self.part()}"

    def article(self, noun: str) -> str:
        """The noun with an article or without."""
        kind = self.chance.random()
        if kind < 0.45:
            return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
        return f"{self.say('the|some|any')} {noun}" if kind < 0.65 else noun

    def number(self, low: int, high: int, step: int = 1) -> int:
        """A whole number of a range."""
        return self.chance.randrange(low, high + 1, step)

    def maybe(self, words: str, share: float = 0.5) -> str:
        """The words or nothing."""
        return words if self.chance.random() < share else ""


@dataclass(frozen=True)
class Conventions:
    """Amounts for what is left unsaid.

    Attributes:
        turn: Degrees of a turn with a direction but no angle.
        small_turn: Degrees of turning "a bit".
        step: Percent of "brighter" or "more contrast".
        small_step: Percent of "a bit brighter".
        big_step: Percent of "a lot brighter".
        strength: How strongly a colour tints.
        light_strength: How strongly a "light" colour tints.
        dark_strength: How strongly a "dark" or "deep" colour tints.
        effect: Amount of blur, sepia or vignette.
        border: Width of a border in pixels.
    """

    turn: float = 90
    small_turn: float = 10
    step: float = 20
    small_step: float = 10
    big_step: float = 40
    strength: float = 0.3
    light_strength: float = 0.15
    dark_strength: float = 0.5
    effect: float = 50
    border: int = 20


PRODUCT = Conventions()
