"""The wanted words as vectors: all of them joined for the first stage, each phrase by itself for the second.

The encoder has learned from captions joined to one text, and on the scenes protocol the vector of the joined text
beats the mean of the sentences' vectors (docs/search.md). It reads 64 tokens. A conversation that says more is
joined in blocks: a full block stays as it is and its vector is known, so that only the newest block is encoded in each
turn, however long the conversation.

People talk about parts of a picture, and one vector for all they said blurs the parts (Drill-down). So each phrase
("red umbrella", "wet street") is a state vector as well, which is what the encoder's regions were trained to be found
by. The joined vector finds the first few hundred pictures, the states put them in order (MaxSim), and the very first
are judged state by state: how likely does each show it?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from visavis.encoders.base import FloatArray
from visavis.language.english import chunks, singular, with_article
from visavis.language.lexicon import colours, things, word_ranks
from visavis.search.vectors import RegionScale, TextVectors, VectorSample, region_products

#: Words of a joined text: about what the encoder reads.
MOST_WORDS = 52
#: What a wish that counts twice adds by itself to the joined text.
_EMPHASIS = 0.5


def blocks(texts: Sequence[str]) -> list[list[str]]:
    """The texts in groups that the encoder can read as one, filled from the oldest on."""
    made: list[list[str]] = []
    room = 0
    for text in texts:
        words = len(text.split())
        if not made or words > room:
            made.append([])
            room = MOST_WORDS
        made[-1].append(text)
        room -= words
    return made


def joined(texts: Sequence[str]) -> str:
    """Several texts as sentences of one."""
    if len(texts) == 1:
        return texts[0]
    return " ".join(f"{text.strip().rstrip('.')}." for text in texts)


def joined_blocks(texts: Sequence[str]) -> list[str]:
    """What :func:`wanted_vector` needs the vectors of, besides those of single wishes that are emphasised."""
    return [joined(block) for block in blocks(texts)]


def wanted_vector(wants: Sequence[tuple[str, float]], vectors: TextVectors) -> FloatArray:
    """One unit vector for everything wanted.

    Args:
        wants: Texts with their weights (more than nothing), oldest first; at least one.
        vectors: Gives the vectors of texts.
    """
    grouped = blocks([text for text, _ in wants])
    sizes = np.array([len(block) for block in grouped], np.float32)
    total = sizes @ vectors([joined(block) for block in grouped])
    for text, weight in wants:
        if weight != 1.0:
            total = total + _EMPHASIS * (weight - 1.0) * vectors([text])[0]
    length = float(np.linalg.norm(total))
    return np.asarray(total / max(length, 1e-6), np.float32)


#: The newest phrases are matched; older ones are still in the joined text of the first stage.
MOST_STATES = 24
#: Words without which a text says the same of a picture.
_FILLERS = frozenset("a an the some with in".split())
#: The agreement of regions with whole pictures below which a phrase is none for the eye, and above which it is.
_INVISIBLE, _VISIBLE = 0.7, 0.9


@dataclass(frozen=True)
class SecondStage:
    """How the first pictures are put in order; the numbers were chosen on the scenes protocol (docs/search.md).

    Attributes:
        weight: What the states count against the first stage, 0 to 1; 0 for no second stage.
        prefetch: How many pictures are put in order.
        judged: How many of them are judged state by state; 0 for none.
        conviction: What a judgement counts, in spreads of the wanted words.
        slope: How much more likely a phrase is shown for each spread that the best region stands out.
        offset: How far it has to stand out to be as likely shown as not, times the slope.
    """

    weight: float = 0.5
    prefetch: int = 200
    judged: int = 40
    conviction: float = 4.0
    slope: float = 0.6
    offset: float = 2.0

    def phrases(self, texts: Sequence[str]) -> list[str]:
        """The phrases of what is wanted, oldest first, each once."""
        if not self.weight:
            return []
        found = dict.fromkeys(phrase for text in texts for phrase in phrases_of(text))
        return list(found)[-MOST_STATES:]

    def named(self, text: str) -> str:
        """The one phrase that says all that a text says ("statue" for "with a statue"), else the text.

        The phrase is read anyway; a text that is not read as well saves the encoder two milliseconds.
        """
        phrases = self.phrases([text])
        if len(phrases) != 1 or set(text.lower().split()) - set(phrases[0].split()) - _FILLERS:
            return text
        return phrases[0]

    def states(self, texts: Sequence[str], vectors: TextVectors) -> FloatArray | None:
        """The state vectors ``[m, d]``, or None where there is nothing to match."""
        phrases = self.phrases(texts)
        return vectors(phrases) if phrases else None

    def judgement(self, states: FloatArray, scales: Sequence[RegionScale], regions: FloatArray) -> FloatArray:
        """How well pictures bear out the states, ``[n]``: the mean log probability that one is shown, in spreads.

        A sum of cosines forgives a picture that lacks one thing if it shows another all the better; this does not.
        What was said several times ("a man", "a young man") counts about once.

        Args:
            states: ``[m, d]``.
            scales: What is ordinary for the best region, one a state.
            regions: ``[n, r, d]``.
        """
        best = region_products(regions, states).max(axis=1)
        middles = np.array([scale.middle for scale in scales], np.float32)
        spreads = np.array([scale.spread for scale in scales], np.float32)
        logits = self.slope * (best - middles) / spreads - self.offset
        weights = trust(scales) * distinctness(states)
        return np.asarray(-self.conviction * np.logaddexp(0.0, -logits) @ weights / len(states), np.float32)


@lru_cache(maxsize=4096)
def phrases_of(text: str) -> tuple[str, ...]:
    """The noun phrases of a text, or the text; a plan asks for those of a wish several times."""
    return tuple(chunks(text)) or (text,)


_COUNTED = frozenset("two three four five six seven eight nine ten many several some few more all no these".split())
#: What is photographed, worn or seen in numbers: one of it looks different, or is called by the plural.
_NEVER_ALONE = frozenset(
    "boots briefs buttons checks clothes dots earrings flats flowers glasses gloves goggles headphones heels jeans "
    "leaves leggings letters lights loafers pants people polka ruffles sandals scissors sequins shoes shorts skis "
    "sleeves slippers sneakers socks spots squares stars stockings straps stripes sunglasses tights trainers trousers "
    "veggies vegetables waves words".split()
)
#: The most words of a plural that is looked for as one thing, and of the name of a thing.
_PLAIN, _LONGEST_NAME = 2, 3


@lru_cache(maxsize=4096)
def one_thing(text: str) -> str:
    """A bare plural in the singular, which the encoder scores better; any other text as it is.

    Captions say "a bus" of one and of several. Over COCO's objects in 400 photos the mean AP of "a bus" is .72, of
    "buses" .67 (``benchmarks/wordings.py``).

    >>> one_thing("buses"), one_thing("red buses"), one_thing("polka dots"), one_thing("two dogs")
    ('a bus', 'a red bus', 'polka dots', 'two dogs')
    """
    words = text.lower().split()
    if not 0 < len(words) <= _PLAIN or not all(word.isalpha() for word in words) or words[0] in _COUNTED:
        return text
    noun = singular(words[-1])
    if noun == words[-1] or words[-1] in _NEVER_ALONE or not {noun, *words[:-1]} <= word_ranks().keys():
        return text
    return with_article(" ".join((*words[:-1], noun)))


@lru_cache(maxsize=4096)
def head_of(text: str) -> str | None:
    """The head noun of a text that names one thing in several words; None for other texts.

    >>> head_of("steam trains"), head_of("a bow tie"), head_of("trains"), head_of("a man on a horse")
    ('a train', 'a tie', None, None)
    """
    words = _bare(text.lower().split())
    if not 1 < len(words) <= _LONGEST_NAME or set(words) & _AROUND or not all(word.isalpha() for word in words):
        return None
    noun = singular(words[-1])
    return with_article(noun) if {noun, words[-1]} & things() and words[0] not in _COUNTED else None


#: The most words of an alternative, and of the last one with what all of them share; more is a sentence.
_SHORT, _LONGER = 2, 4
_ARTICLES = frozenset("a an the some any".split())
#: What alternatives stand behind or before, and do not belong to.
_AROUND = frozenset(
    "with without in on at by of from for near and to under over behind beside inside outside wearing holding".split()
)
#: What a colour may have before it: "black or dark blue shoes" are no black blue ones.
_SHADES = frozenset("dark light pale bright deep navy royal sky".split())


@lru_cache(maxsize=4096)
def alternatives(text: str) -> tuple[str, ...]:
    """What a text asks for with each of the alternatives that it names, or the text; all of them share the rest.

    >>> alternatives("a tie or a wallet")
    ('a tie', 'a wallet')
    >>> alternatives("black, navy or brown shoes")
    ('black shoes', 'navy shoes', 'brown shoes')
    >>> alternatives("a man with a red or blue umbrella"), alternatives("dogs or cats in the snow")
    (('a man with a red umbrella', 'a man with a blue umbrella'), ('dogs in the snow', 'cats in the snow'))
    >>> alternatives("kurta, cotton, green or blue")
    ('kurta, cotton, green', 'kurta, cotton, blue')
    >>> alternatives("a dog that runs or jumps over a fence")
    ('a dog that runs or jumps over a fence',)
    """
    words = text.replace(",", " , ").split()
    places = [at for at, word in enumerate(words) if word.lower() == "or"]
    if not places:
        return (text,)
    first = max((at + 1 for at in range(places[0]) if words[at].lower() in _AROUND), default=0)
    last = next((at for at in range(places[-1], len(words)) if words[at].lower() in _AROUND), len(words))
    before, between, behind = words[:first], words[first:last], words[last:]
    if (commas := [at for at, word in enumerate(between) if word == ","]) and _is_colour(between[commas[-1] + 1 :]):
        # "kurta, cotton, green or blue": the colours are alternatives, and what is no colour before them is not
        others = [at for at, part in zip(commas, _split(between, commas), strict=False) if not _is_colour(part)]
        if others:
            before, between = [*before, *between[: others[-1] + 1]], between[others[-1] + 1 :]
    named: list[list[str]] = [[]]
    for word, following in zip(between, (*between[1:], ""), strict=True):
        if word.lower() == "or" or (word == "," and following.lower() != "or"):
            named.append([])
        elif word not in (",", "either", "Either"):
            named[-1].append(word)
    things = [_bare(part) for part in named]
    lengths = [len(thing) for thing in things]
    own = len(named[-1]) > lengths[-1]  # an article of its own begins another thing
    if min(lengths) == 0 or max(lengths[:-1]) > _SHORT or lengths[-1] > _LONGER or (before and behind and own):
        return (text,)
    article = named[0][:1] if len(named[0]) > lengths[0] and not own else []  # "with a red or blue umbrella"
    named = [
        part if own and len(part) == len(thing) else [*part, *_shared(thing, things[-1])]
        for part, thing in zip(named, things, strict=True)
    ]
    named = [part if part[0].lower() in _ARTICLES else [*article, *part] for part in named]
    return tuple(" ".join((*before, *part, *behind)).replace(" ,", ",") for part in named)


def _split(words: Sequence[str], places: Sequence[int]) -> list[Sequence[str]]:
    """The words before each of some places, from the one before."""
    return [words[start:end] for start, end in zip((0, *(at + 1 for at in places)), places, strict=False)]


def _is_colour(words: Sequence[str]) -> bool:
    """Whether words begin with a colour."""
    said = next((word.lower() for word in words if word.lower() not in _SHADES), "")
    return said in colours()


def _bare(words: Sequence[str]) -> list[str]:
    """Words without the articles before them."""
    return list(words[next((at for at, word in enumerate(words) if word.lower() not in _ARTICLES), len(words)) :])


def _shared(words: Sequence[str], last: Sequence[str]) -> Sequence[str]:
    """What an alternative has in common with the last one, which says it: the noun, unless it is a thing itself."""
    noun = words[-1].lower()
    if noun not in colours() and {noun, singular(noun)} & things():
        return ()
    return last[len(words) + (last[0].lower() in _SHADES) :]


def trust(scales: Sequence[RegionScale]) -> FloatArray:
    """How far regions are believed, 0 to 1 for each phrase: not for words that no part of a picture can show."""
    agreement = np.array([scale.agreement for scale in scales], np.float32)
    return np.asarray(np.clip((agreement - _INVISIBLE) / (_VISIBLE - _INVISIBLE), 0.0, 1.0), np.float32)


def distinctness(states: FloatArray) -> FloatArray:
    """Weights of phrases, lower for those that resemble others; one on average."""
    alike = np.clip(states @ states.T, 0.0, 1.0) ** 2
    alone = 1.0 / np.maximum(alike.sum(axis=1), 1e-6)
    return np.asarray(alone / alone.mean(), np.float32)


#: How decidedly the nearest value is taken for the picture's; the scale that the built-in encoder was trained with.
_DECIDED = 30.0


@cache
def _vocabulary() -> dict[str, tuple[str, ...]]:
    known: dict[str, tuple[str, ...]] = {}
    for line in (Path(__file__).parent / "aspects.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            names, said, values = (part.strip() for part in line.split("|"))
            texts = tuple(said.format(value.strip()) for value in values.split(";"))
            known |= {name.strip(): texts for name in names.split(",")}
    return known


def values_of(aspect: str) -> tuple[str, ...]:
    """Texts for the values that an aspect can have; none when the aspect is unknown.

    >>> values_of("the sleeves")
    ('long sleeves', 'short sleeves', 'no sleeves')
    """
    words = aspect.lower().split()
    for start in range(len(words)):  # "the overall colour" ends with what it is about
        found = _vocabulary().get(" ".join(words[start:]))
        if found:
            return found
    return ()


def value_direction(picture: FloatArray, aspect: str, texts: TextVectors, sample: VectorSample) -> FloatArray | None:
    """The direction in which pictures lie that have the picture's value of an aspect; None for an unknown aspect.

    Each value's cosine is compared with what an ordinary picture scores, so that a value that fits everything a
    little does not win. The likely values are mixed and what all values have in common is taken away: what is left
    tells the values apart and says nothing about the rest of the picture.
    """
    values = values_of(aspect)
    if not values:
        return None
    vectors = texts(values)
    ordinary = vectors @ sample.whole.mean(axis=0) if len(sample) else 0.0
    logits = _DECIDED * (vectors @ picture - ordinary)
    share = np.exp(logits - logits.max())
    mixed = (share / share.sum()) @ vectors - vectors.mean(axis=0)
    length = float(np.linalg.norm(mixed))
    return np.asarray(mixed / length, np.float32) if length > 1e-6 else None
