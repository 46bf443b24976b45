"""What is seen in a picture: its things with their colours, those worth telling, and how pictures differ in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from visavis.language.english import bare, with_article
from visavis.pictures.picture import Picture
from visavis.search.captions import stems
from visavis.types import Concept

#: Things seen that are told, and from which chance on.
_TOLD, _CLEAR = 6, 0.6
#: Things seen in a picture that are compared with those of another, and how probable they must be to tell them apart.
_COMPARED = 6
_APART = 0.75
#: Whose colour is that of their clothes.
_PERSONS = stems("person people man men woman women boy girl child children kid baby lady gentleman guy player rider")
COLOUR_WORDS = {"skyblue": "sky blue"}
_MOST_COLOURS = 2


@dataclass(frozen=True)
class Seen:
    """A thing that the encoder sees in a picture."""

    noun: str
    colours: tuple[str, ...]
    place: str
    chance: float
    outlined: float = 1.0

    @classmethod
    def of(cls, concept: Concept, colours: tuple[str, ...] = (), outlined: float = 1.0) -> Seen:
        """From a concept; with the colours in its outline, where that was found, and how sure that is."""
        return cls(concept.noun, colours or concept.attributes, concept.place, concept.chance, outlined)

    @property
    def clear(self) -> bool:
        """Whether it is seen well enough to be told of without being asked for."""
        return self.chance >= _CLEAR

    @property
    def told(self) -> str:
        """The noun phrase of the thing with its colours; of a person, with the colours of the clothes.

        >>> Seen("bus", ("skyblue", "red"), "left", 0.9).told, Seen("woman", ("black",), "left", 0.9).told
        ('sky blue and red bus', 'woman in black')
        >>> Seen("woman in a dress", ("orange",), "left", 0.9).told, Seen("orange", ("orange",), "left", 0.9).told
        ('woman in an orange dress', 'orange')
        """
        named = (COLOUR_WORDS.get(colour, colour) for colour in self.colours[:_MOST_COLOURS] if colour != self.noun)
        colours = " and ".join(named)
        person, worn, clothes = self.noun.partition(" in ")
        if colours and stems(person) & _PERSONS:
            return f"{person} in {with_article(f'{colours} {bare(clothes)}') if worn else colours}"
        return f"{colours} {self.noun}".strip()


@dataclass(frozen=True)
class PictureView:
    """A picture, and what is seen in it, the surest first."""

    picture: Picture
    seen: tuple[Seen, ...] = ()

    @property
    def told(self) -> tuple[Seen, ...]:
        """The things that are told of, the surest first."""
        return tuple(one for one in self.seen if one.clear)[:_TOLD]


def seen_apart(views: Sequence[PictureView]) -> list[tuple[str, tuple[str, ...]]]:
    """What is seen in some of the pictures only."""
    seen: list[Mapping[str, Seen]] = [{one.noun: one for one in view.seen[:_COMPARED]} for view in views]
    common = set(seen[0]).intersection(*seen[1:]) if seen else set()
    alone = tuple(
        ", ".join(
            f"{one.told} ({one.chance:.0%})"
            for noun, one in found.items()
            if noun not in common and one.chance >= _APART
        )
        or "–"
        for found in seen
    )
    return [("seen only here", alone)] if any(text != "–" for text in alone) else []
