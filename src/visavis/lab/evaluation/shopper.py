"""A simulated shopper: sees one picture a turn, and describes how the target differs.

As in the MAI paper some turns refer to a picture of an earlier turn, and some combine attributes of earlier
pictures. It uses only the catalogue's attributes, never a vector.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from visavis.lab.evaluation import metrics
from visavis.lab.evaluation.dialogs import Bench, Message, System
from visavis.lab.simulation.base import SimulatedUser
from visavis.types import Wish

Attributes = Mapping[str, str]

#: Share of the turns, from the second on, that refer back or combine where that is possible.
ROLLBACK, COMBINATION = 0.3, 0.3
#: Attributes in the order in which people name them, with their phrases in a keep.
_ASPECTS = {"articleType": "kind", "baseColour": "colour", "gender": "gender", "usage": "usage", "season": "season"}
_PHRASES = {"gender": "for {}", "usage": "{} wear", "season": "for {}"}
_WORDINGS = (
    "I'd rather have {}", "{}, please", "it should be {}", "can you show me {}", "not this, {}", "more like {}", "{}",
    "I was thinking of {}", "{} would be better", "make it {}",
)  # fmt: skip
_BACK = (
    "Compared to this one I prefer the one from turn {}, and {}", "I would rather choose the one of turn {}, but {}",
    "go back to turn {}, {}",
)  # fmt: skip
_KEEP = ("keep the {} of turn {}", "the {} in turn {} was right", "with the {} of turn {}")


@dataclass(frozen=True)
class Shopper:
    """One user with one target.

    Attributes:
        target: The attributes of the target.
        chance: The random generator of all choices.
        compare: Says how the target differs from a picture, by its id; the catalogue and templates say it unless told.
    """

    target: Attributes
    chance: random.Random
    compare: Callable[[str], str] | None = None
    _named: set[str] = field(default_factory=set)

    def speak(self, turn: int, shown: Sequence[tuple[str, Attributes]]) -> Message:
        """Return the message of this turn.

        Args:
            turn: Counted from one.
            shown: Id and attributes of the picture of each turn so far, the start picture first.
        """
        way = self.chance.random()
        earlier = shown[1:-1]  # the start picture was not chosen
        changes, wishes = self._changes(turn, *shown[-1])
        if earlier and way < ROLLBACK:
            best = max(range(len(earlier)), key=lambda at: (self._agreement(earlier[at][1]), at))
            if self._agreement(earlier[best][1]) > self._agreement(shown[-1][1]):
                liked = Wish(f"{turn}.9", "like", f"turn {best + 1}", turn, picture=earlier[best][0])
                return Message(self.chance.choice(_BACK).format(best + 1, changes), (liked, *wishes))
        elif len(shown) > 1 and way < ROLLBACK + COMBINATION:
            kept = self._kept(turn, shown)
            if kept:
                texts, keeps = kept
                return Message(f"{texts}, {changes}", (*keeps, *wishes))
        return Message(changes, wishes)

    def _agreement(self, other: Attributes) -> int:
        return sum(self.target[aspect] == other[aspect] for aspect in _ASPECTS)

    def _changes(self, turn: int, id: str, current: Attributes) -> tuple[str, tuple[Wish, ...]]:
        """Return one or two differences that were not yet named, or what a comparison says."""
        if self.compare is not None:
            told = self.compare(id)
            return told, (Wish(f"{turn}.1", "want", without_verb(told), turn),)
        wrong = [a for a in _ASPECTS if a not in self._named and self.target[a] and self.target[a] != current[a]]
        phrases = [(aspect, phrase(aspect, self.target[aspect])) for aspect in wrong]
        words = [w for w in title_words(self.target) if w not in self._named]
        phrases += [(word, word) for word in words]
        chosen = phrases[: self.chance.choice((1, 1, 2))]
        self._named.update(key for key, _ in chosen)
        if not chosen:
            return "something like this", ()
        said = " and ".join(text for _, text in chosen)
        wishes = tuple(Wish(f"{turn}.{at}", "want", text, turn) for at, (_, text) in enumerate(chosen, start=1))
        return self.chance.choice(_WORDINGS).format(said), wishes

    def _kept(self, turn: int, shown: Sequence[tuple[str, Attributes]]) -> tuple[str, list[Wish]] | None:
        """Return up to two aspects that earlier pictures share with the target and that were not yet named."""
        found: list[tuple[str, int]] = []
        for aspect in _ASPECTS:
            right = [at for at in range(1, len(shown)) if shown[at][1][aspect] == self.target[aspect]]
            if right and aspect not in self._named:
                found.append((aspect, self.chance.choice(right)))
        found = found[:2]
        self._named.update(aspect for aspect, _ in found)
        texts = [self.chance.choice(_KEEP).format(_ASPECTS[aspect], at) for aspect, at in found]
        keeps = [
            Wish(f"{turn}.{7 + place}", "keep", f"turn {at}", turn, picture=shown[at][0], attribute=_ASPECTS[aspect])
            for place, (aspect, at) in enumerate(found)
        ]
        return (" and ".join(texts), keeps) if found else None


def without_verb(words: str) -> str:
    """Return the request of a comparison.

    >>> without_verb("are shoes and is blue")
    'shoes and is blue'
    """
    return words.removeprefix("is ").removeprefix("are ")


def phrase(aspect: str, value: str) -> str:
    """Return a value as people say it: "navy blue", "for women", "sports wear"."""
    return _PHRASES.get(aspect, "{}").format(value.lower())


def title_words(attributes: Attributes) -> list[str]:
    """Return words of the title that are in no attribute: brand, pattern, model."""
    known = set(re.findall(r"[a-z]+", " ".join(v for k, v in attributes.items() if k != "productDisplayName").lower()))
    words = re.findall(r"[a-z]{4,}", attributes["productDisplayName"].lower())
    return [word for word in dict.fromkeys(words) if not any(word[:4] == other[:4] for other in known)]


def shopping_ranks(
    bench: Bench, system: System, target: str, start: str, turns: int, seed: int, user: SimulatedUser | None = None
) -> list[int]:
    """Run one conversation: the best picture is shown each turn; it ends when that is the target.

    A user says what is different; templates of the catalogue do unless one is given.
    """
    gallery = bench.gallery
    place = gallery.places[target]
    compare = None if user is None else lambda id: user.compare([id], target)
    shopper = Shopper(gallery.attributes[place], random.Random(f"{seed} {target}"), compare)
    shown = [(start, gallery.attributes[gallery.places[start]])]
    said: list[Message] = []
    ranks: list[int] = []
    for turn in range(1, turns + 1):
        said.append(replace(shopper.speak(turn, shown), shown=(shown[-1][0],)))
        scores = system(said)
        ranks.append(metrics.place_of(scores, place))
        best = int(scores.argmax())
        if best == place:
            break
        shown.append((gallery.ids[best], gallery.attributes[best]))
    return ranks
