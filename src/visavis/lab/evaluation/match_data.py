"""Claims about pictures that are known to be true or false: what the match probability is fitted and measured on.

Photos with their objects and captions, and products with their attributes and titles. Half of the object classes and
of the attributes' values are for fitting, the other half for measuring, each on pictures of their own.
"""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from visavis.demo import DemoItem
from visavis.errors import NotFoundError
from visavis.lab.evaluation.match_vectors import MatchVectors, ScoredGallery, drawn_items
from visavis.language.english import with_article
from visavis.search.probability import Distribution
from visavis.search.vocabulary import default_vocabulary
from visavis.types import Kind as Section

Truth = NDArray[np.bool_]
Places = NDArray[np.int64]
#: The kinds of texts of which something is true, and those of which nothing is.
Kind = Literal[
    "object",
    "phrase",
    "caption",
    "attribute",
    "pair",
    "title",
    "absent object",
    "absent phrase",
    "absent caption",
    "absent noun",
    "absent attribute",
    "drawn",
    "absent drawn",
    "foreign",
    "noun",
    "removed noun",
    "absent pair",
    "absent title",
    "property",
    "absent property",
]
_FILES = ("more", "captions")
_SAMPLE = 2000
#: So many nouns are asked that are not there.
_NOUNS = 300
#: Fewer pictures than this do not show what an attribute's value looks like.
_FEWEST = 8
#: What is said before a noun.
COLOURS = ("red", "blue", "green", "yellow", "white", "black", "brown", "pink", "purple", "orange", "grey")
#: Sizes of the collections that are asked, besides all.
_SIZES = (400, 100)
_FOR = {"Men": "for men", "Women": "for women", "Boys": "for boys", "Girls": "for girls"}
#: What is excluded, and patterns of captions that show it.
AVOIDED = {
    "people": r"\b(man|men|woman|women|person|people|boy|girl|child|children|lady|guy|player|skier|surfer|crowd)s?\b",
    "animals": r"\b(dog|cat|bird|horse|sheep|cow|elephant|bear|zebra|giraffe|animal|duck|cattle)s?\b",
    "vehicles": r"\b(car|bus|buses|truck|train|motorcycle|bicycle|bike|boat|airplane|plane|vehicle)s?\b",
    "food": r"\b(pizza|cake|sandwich|food|fruit|vegetable|broccoli|banana|orange|apple|donut|meal)s?\b",
    "a dog": r"\b(dog|puppy|puppies)s?\b",
    "a train": r"\btrains?\b",
}
#: COCO's objects of each.
AVOIDED_OBJECTS = {
    "people": {"person"},
    "animals": {"bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe"},
    "vehicles": {"bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat"},
    "food": {"banana", "apple", "sandwich", "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake"},
    "a dog": {"dog"},
    "a train": {"train"},
}
#: Where a caption's phrases begin and end.
_BREAK = re.compile(
    r"\b(?:with|on|in|at|is|are|that|and|while|near|next|to|by|from|over|under|behind|up|down|of him|of her|who|which"
    r"|into|through|for|as|beside|around|along|above|below|inside|outside|has|have|there|being|\w+ing)\b|[.,;]"
)
#: Words that say nothing about what is there, as the last of a phrase.
_EMPTY = frozenset(
    "side top front back group couple bunch lot lots pair row background middle view close picture photo image variety"
    " kind type number piece edge end left right other another each them it one very some many different several scene"
    " area something someone of a an the his her their its this that".split()
)


@dataclass(frozen=True)
class KnownClaim:
    """A text asked of some pictures of a gallery, and of which it is true.

    Attributes:
        kind: What kind of text it is.
        gallery: The pictures.
        text: The text.
        truth: Of which it is true, ``[n]`` over the whole gallery.
        among: The collection: places in the gallery.
        unsure: Whether pictures near the top may be true as well although nobody said so (a caption).
    """

    kind: Kind
    gallery: ScoredGallery
    text: str
    truth: Truth
    among: Places
    unsure: bool = False

    def distribution(self) -> Distribution:
        """How the text's scores spread over a sample of the collection."""
        whole, parts = self.gallery.scores[self.text]
        sample = self.among[:_SAMPLE]
        return Distribution.measure(whole[sample], parts[sample], self.gallery.ordinary)


@dataclass(frozen=True)
class Photos:
    """What is known of the photos: where each lies, its objects, its captions, and all that is said of it."""

    gallery: ScoredGallery
    objects: dict[int, set[str]]
    captions: dict[int, list[str]]
    told: dict[int, str]

    @classmethod
    def read(cls, gallery: ScoredGallery, coco: Path) -> Photos:
        """Read it from COCO's rows."""
        here = {number_of(key) for key in gallery.keys}
        more = {row["image_id"]: row for row in _rows(coco / "more.jsonl") if row["image_id"] in here}
        captions = {
            row["image_id"]: row["captions"] for row in _rows(coco / "captions.jsonl") if row["image_id"] in here
        }
        told = {id: " ".join([*captions.get(id, ()), *_everything(row)]).lower() for id, row in more.items()}
        return cls(gallery, {id: set(row["objects"]) for id, row in more.items()}, captions, told)

    def showing(self, name: str) -> Truth:
        """Which show an object."""
        return np.array([name in self.objects.get(number_of(key), ()) for key in self.gallery.keys])

    def names(self, *, fitting: bool) -> list[str]:
        """Half of the objects."""
        names = sorted(set().union(*self.objects.values()))
        random.Random(1).shuffle(names)
        return names[fitting::2]


def photo_claims(photos: Photos, *, fitting: bool) -> list[KnownClaim]:
    """Objects, phrases, captions and things that are not there, about photos."""
    gallery = photos.gallery
    mine = halves(len(gallery.keys))[0 if fitting else 1]
    collections = [mine, *(mine[:size] for size in _SIZES)]
    none = np.zeros(len(gallery.keys), bool)
    claims = []
    for name in photos.names(fitting=fitting):
        truth = photos.showing(name)
        for text in forms_of(name):
            claims += [KnownClaim("object", gallery, text, truth, among) for among in collections]
            claims += [KnownClaim("absent object", gallery, text, none, among[~truth[among]]) for among in collections]
    return claims + _spoken_claims(photos, collections, fitting=fitting)


def _spoken_claims(photos: Photos, collections: Sequence[Places], *, fitting: bool) -> list[KnownClaim]:
    """Captions and phrases of pictures that are there, and of some that are not, nor any other of the same thing."""
    gallery, draw = photos.gallery, random.Random(2)
    mine, few = collections[0], collections[1]
    own = [place for place in mine.tolist() if number_of(gallery.keys[place]) in photos.captions]
    none = np.zeros(len(gallery.keys), bool)
    claims: list[KnownClaim] = []
    for number, place in enumerate(own[:500]):
        truth = none.copy()
        truth[place] = True
        collection = mine if number % 2 else np.r_[place, few[few != place]]
        caption = draw.choice(photos.captions[number_of(gallery.keys[place])])
        claims.append(KnownClaim("caption", gallery, caption, truth, collection, unsure=True))
        phrases = phrases_of(caption)[:1]
        claims += [KnownClaim("phrase", gallery, phrase, truth, collection, unsure=True) for phrase in phrases]
    for name in photos.names(fitting=fitting):
        shows, pattern = photos.showing(name), re.compile(rf"\b{re.escape(name)}s?\b")
        said = [
            text
            for place in np.flatnonzero(shows).tolist()
            for text in photos.captions.get(number_of(gallery.keys[place]), [])
            if pattern.search(text.lower())
        ]
        for number, text in enumerate(draw.sample(said, min(6, len(said)))):
            among = (mine, few)[number % 2]
            among = among[~shows[among]]
            claims.append(KnownClaim("absent caption", gallery, text, none, among))
            about = [phrase for phrase in phrases_of(text) if pattern.search(phrase)]
            claims += [KnownClaim("absent phrase", gallery, phrase, none, among) for phrase in about[:1]]
    return claims


def phrases_of(caption: str) -> list[str]:
    """The phrases of a caption: what stands between prepositions and verbs.

    >>> phrases_of("Two brown dogs playing with a yellow frisbee.")
    ['two brown dogs', 'a yellow frisbee']
    """
    parts = (" ".join(part.split()) for part in _BREAK.split(caption.lower()))
    return [part for part in parts if 2 <= len(part.split()) <= 5 and part.split()[-1] not in _EMPTY]


def noun_claims(vectors: MatchVectors, photos: Photos, titles: Sequence[str], *, fitting: bool) -> list[KnownClaim]:
    """Nouns that no caption and no title has: they are not there."""
    draw = random.Random(5)
    nouns = [term.phrase for term in default_vocabulary() if term.kind is Section.THING and " of " not in term.phrase]
    draw.shuffle(nouns)
    told = (
        (photos.gallery, [" ".join([*c, *photos.objects.get(id, ())]) for id, c in photos.captions.items()]),
        (vectors.products, list(titles)),
    )
    claims = []
    for gallery, texts in told:
        words = set(re.findall(r"[a-z]+", " ".join(texts).lower()))
        unknown = [
            noun for noun in nouns if not any({word, f"{word}s", f"{word}es"} & words for word in noun.split()[-1:])
        ]
        mine = halves(len(gallery.keys))[0 if fitting else 1]
        none = np.zeros(len(gallery.keys), bool)
        for number, noun in enumerate(unknown[fitting::2][:_NOUNS]):
            text, among = forms_of(noun)[number % 2], (mine, mine[: _SIZES[0]])[number // 2 % 2]
            claims.append(KnownClaim("absent noun", gallery, text, none, among))
            if number % 2:
                text = with_article(f"{draw.choice(COLOURS)} {noun}")
                claims.append(KnownClaim("absent pair", gallery, text, none, among))
    return claims


def caption_pairs(photos: Photos, number: int = 150) -> list[KnownClaim]:
    """Two captions of one picture after each other, asked of the pictures for fitting."""
    gallery = photos.gallery
    mine = halves(len(gallery.keys))[0]
    claims: list[KnownClaim] = []
    for place in mine.tolist():
        captions = photos.captions.get(number_of(gallery.keys[place]), [])
        if len(captions) > 1 and len(claims) < 2 * number:
            truth = np.zeros(len(gallery.keys), bool)
            truth[place] = True
            claims += [KnownClaim("caption", gallery, text, truth, mine) for text in captions[:2]]
    return claims


def product_claims(gallery: ScoredGallery, styles: Path, *, fitting: bool) -> list[KnownClaim]:
    """Attributes, pairs of them and titles, about products."""
    draw, apart = random.Random(2), random.Random(8)
    rows = _products(gallery, styles)
    mine = halves(len(gallery.keys))[0 if fitting else 1]
    none = np.zeros(len(gallery.keys), bool)
    claims = []
    values = [
        (name, value)
        for name in ("articleType", "baseColour", "gender")
        for value in sorted({row.get(name) or "" for row in rows})
        if value and sum(row.get(name) == value for row in rows) >= _FEWEST and (name != "gender" or value in _FOR)
    ]
    draw.shuffle(values)
    for name, value in values[fitting::2]:
        truth = np.array([row.get(name) == value for row in rows])
        said = _said(name, value)
        claims += [KnownClaim("attribute", gallery, text, truth, mine) for text in said]
        if name == "articleType":
            claims += [KnownClaim("absent attribute", gallery, text, none, mine[~truth[mine]]) for text in said]
            claims += _removed_kind(gallery, rows, value, mine, apart)
    pairs = sorted({(row.get("baseColour", ""), row.get("articleType", "")) for row in rows})
    draw.shuffle(pairs)
    for colour, kind in pairs[fitting::2]:
        truth = np.array([(row.get("baseColour"), row.get("articleType")) == (colour, kind) for row in rows])
        if colour and kind and truth[mine].sum() >= 2:
            single = _said("articleType", kind)[-1]
            claims.append(KnownClaim("pair", gallery, f"{colour.lower()} {single}", truth, mine))
            claims.append(KnownClaim("pair", gallery, with_article(f"{colour.lower()} {single}"), truth, mine))
    for place in mine[:200].tolist():
        title = rows[place].get("productDisplayName") or ""
        if title:
            truth = np.array([row.get("productDisplayName") == title for row in rows])
            claims.append(KnownClaim("title", gallery, title, truth, mine, unsure=True))
    return claims


def _removed_kind(
    gallery: ScoredGallery, rows: Sequence[dict[str, str]], kind: str, mine: Places, draw: random.Random
) -> list[KnownClaim]:
    """Colours of a kind, and titles of products of it, asked where neither kind nor title speaks of it any more."""
    single, none = _said("articleType", kind)[-1], np.zeros(len(gallery.keys), bool)
    title = [f"{row.get('productDisplayName')} {row.get('articleType')}".lower() for row in rows]
    left = np.array([single.split()[-1] not in text for text in title])
    titles = [row.get("productDisplayName") or "" for row in rows if row.get("articleType") == kind]
    claims = []
    for among in (mine[left[mine]], mine[:400][left[mine[:400]]]):
        text = f"{draw.choice(COLOURS)} {draw.choice((single, kind.lower()))}"
        claims.append(KnownClaim("absent pair", gallery, text, none, among))
        claims.append(KnownClaim("absent title", gallery, draw.choice(titles), none, among))
    return claims


def drawn_claims(gallery: ScoredGallery, *, fitting: bool) -> list[KnownClaim]:
    """Kinds and colours of drawn garments, and nouns of other worlds."""
    items, draw = drawn_items(), random.Random(6)
    mine = halves(len(gallery.keys))[0 if fitting else 1]
    none = np.zeros(len(gallery.keys), bool)
    claims = []
    values = sorted({(name, str(item.attributes[name])) for item in items for name in ("category", "colour")})
    draw.shuffle(values)
    for name, value in values[fitting::2]:
        truth = np.array([_shows(item, name, value) for item in items])
        if truth[mine].sum() < 2:
            continue
        for text in forms_of(value) if name == "category" else (value, f"something {value}"):
            for among in (mine, mine[:80]):
                if truth[among].any():
                    claims.append(KnownClaim("drawn", gallery, text, truth, among))
                if name == "category":
                    claims.append(KnownClaim("absent drawn", gallery, text, none, among[~truth[among]]))
    told = set(re.findall(r"[a-z]+", " ".join(item.caption for item in items).lower()))
    nouns = [t.phrase for t in default_vocabulary() if t.kind is Section.THING and not set(t.phrase.split()) & told]
    draw.shuffle(nouns)
    claims += [KnownClaim("absent drawn", gallery, with_article(noun), none, mine) for noun in nouns[fitting::2][:60]]
    return claims


def _shows(item: DemoItem, name: str, value: str) -> bool:
    return value in (item.attributes[name], item.attributes.get("second_colour") if name == "colour" else None)


def product_titles(gallery: ScoredGallery, styles: Path) -> list[str]:
    """The titles of the products, with their kinds."""
    return [f"{row.get('productDisplayName')} {row.get('articleType')}" for row in _products(gallery, styles)]


def foreign_claims(
    vectors: MatchVectors, known: Sequence[KnownClaim], elsewhere: Sequence[str], *, fitting: bool
) -> list[KnownClaim]:
    """Texts from another world: titles of products asked of photos, captions of photos asked of products."""
    titles = [claim.text for claim in known if claim.kind == "title"]
    captions = [claim.text for claim in known if claim.kind == "caption"]
    claims = []
    for gallery, texts in ((vectors.photos, titles[:150]), (vectors.products, captions[:150])):
        among = halves(len(gallery.keys))[0 if fitting else 1]
        none = np.zeros(len(gallery.keys), bool)
        for number, text in enumerate((*texts, *elsewhere[fitting::2])):
            claims.append(KnownClaim("foreign", gallery, text, none, among if number % 2 else among[:400]))
    return claims


def halves(number: int) -> tuple[Places, Places]:
    """The pictures for fitting and those for measuring."""
    order = np.random.default_rng(3).permutation(number)
    return order[: number // 2], order[number // 2 :]


def held_out_photos(coco: Path) -> frozenset[int]:
    """The photos that no encoder was trained on."""
    return frozenset(row["image_id"] for row in _rows(coco / "more.jsonl") if row["split"] == "val")


def forms_of(name: str) -> tuple[str, ...]:
    """How people say that they want a thing."""
    return (name, with_article(name), f"{name}s")


def _everything(row: dict[str, Any]) -> list[str]:
    """All texts about a photo."""
    asked = (" ".join(map(str, pair)) for pair in row.get("qa", ()))
    return [*row.get("captions", ()), *row.get("machine_captions", ()), *asked, *row["objects"]]


def number_of(key: str) -> int:
    """The number of a photo or product."""
    return int(key.split(":")[1])


def _products(gallery: ScoredGallery, styles: Path) -> list[dict[str, str]]:
    with styles.open(encoding="utf-8") as stream:
        known = {row["id"]: row for row in csv.DictReader(stream)}
    return [known.get(key.split(":")[1], {}) for key in gallery.keys]


def _said(name: str, value: str) -> list[str]:
    """How people say an attribute's value."""
    lower = value.lower()
    if name == "gender":
        return [_FOR[value]]
    if name == "baseColour":
        return [lower, f"something {lower}"]
    single = lower[:-1] if lower.endswith("s") and not lower.endswith("ss") else lower
    return list(dict.fromkeys((lower, with_article(single), single)))


def _rows(file: Path) -> list[dict[str, Any]]:
    if not file.is_file():
        raise NotFoundError(f"There is no file {file}.", "Give the folder that has coco/ and products/ with --data.")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
