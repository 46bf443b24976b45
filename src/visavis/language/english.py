"""The little English that is needed: plurals, stems, noun chunks, numbers, absences; whether two texts say the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal

from visavis.language.commands import Answer, Ask, Avoid, Command, Count, Filter, Forget, Keep, Refine, Remove, Search
from visavis.language.context import Attribute
from visavis.language.pieces import ids
from visavis.pictures.derived import BLACK_AND_WHITE, TONES
from visavis.pictures.looks import BRIGHTNESS, SATURATION

_SOUNDS_LIKE_CONSONANT = ("uni", "use", "eu", "one", "ukulele")
_SOUNDS_LIKE_VOWEL = ("hour", "heir", "honest")
_PLURALS = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "foot": "feet", "tooth": "teeth",
    "mouse": "mice", "goose": "geese", "ox": "oxen", "leaf": "leaves", "knife": "knives", "loaf": "loaves",
    "shelf": "shelves", "wolf": "wolves", "calf": "calves", "scarf": "scarves", "half": "halves", "sheep": "sheep",
    "fish": "fish", "deer": "deer", "moose": "moose", "salmon": "salmon", "aircraft": "aircraft", "dice": "dice",
    "potato": "potatoes", "tomato": "tomatoes", "mango": "mangoes", "cactus": "cacti", "lady": "ladies",
}  # fmt: skip
_FRAME = re.compile(r"^(?:(?:in|on|at|by|under|near|inside|outside) )?(?:(?:an?|the) )?")
_SINGULARS = {plural: singular for singular, plural in _PLURALS.items()}
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"


#: Words for what pictures can be sorted by, and for its opposite.
_LOOKS = {
    BRIGHTNESS: ({"bright", "brightness", "light", "lightness", "luminance"}, {"dark", "darkness"}),
    SATURATION: ({"saturation", "saturated", "colourful", "colorful", "colourfulness", "vivid", "vibrant"}, {"pale"}),
}


def by_looks(field: str, order: Literal["asc", "desc"]) -> tuple[str, Literal["asc", "desc"]]:
    """An order by how pictures look in the name that is measured; any other order as it is.

    >>> by_looks("colourful", "desc"), by_looks("dark", "desc"), by_looks("price", "asc")
    (('saturation', 'desc'), ('brightness', 'asc'), ('price', 'asc'))
    """
    for name, (same, opposite) in _LOOKS.items():
        if field.lower() in opposite:
            return name, "asc" if order == "desc" else "desc"
        if field.lower() in same:
            return name, order
    return field, order


#: Words that name whatever a collection holds, and those that a question for all of it has besides.
_GENERAL = frozenset(
    "picture photo image thing product item stuff content collection catalogue all what which kind type sort category "
    "do you have got sell offer is are there of in here the this your show me can i find see overview give an".split()
)


def is_general(words: str) -> bool:
    """Whether words name nothing in particular: "pictures", "kinds of things", "what do you have"."""
    return {singular(word) for word in _raw(words)} <= _GENERAL


def with_article(noun: str) -> str:
    """``dog`` -> ``a dog``, ``apple`` -> ``an apple``."""
    lowered = noun.lower()
    vowel = lowered.startswith(tuple("aeiou")) and not lowered.startswith(_SOUNDS_LIKE_CONSONANT)
    return f"{'an' if vowel or lowered.startswith(_SOUNDS_LIKE_VOWEL) else 'a'} {noun}"


#: Nouns that are not counted, and plurals that do not look like it.
_UNCOUNTED = frozenset(
    "grass sand snow water ice mud dirt soil gravel hay straw wood metal traffic food rice bread meat cheese "
    "butter milk coffee tea wine beer juice soup pasta broccoli fruit lettuce hair fur furniture luggage baggage "
    "clothing jewelry jewellery equipment foliage greenery scenery smoke fog mist rain graffiti skiing surfing "
    "snowboarding skateboarding baseball tennis frosting icing cereal corn garbage trash rubbish cloth fabric leather "
    "denim wool people men women children feet teeth cattle scissors jeans trousers pants shorts".split()
)
_BEHIND_NOUN = re.compile(r" (?:on|in|of|with|at|by|under|near|behind|for|from) .*")


def indefinite(noun: str) -> str:
    """A noun phrase as it is first told of: what is not counted, and several, without an article.

    >>> indefinite("brown dog"), indefinite("green grass"), indefinite("leaves on the ground"), indefinite("red bus")
    ('a brown dog', 'green grass', 'leaves on the ground', 'a red bus')
    """
    words = _BEHIND_NOUN.sub("", noun.lower()).split()
    head = words[-1] if words else ""
    if head in _UNCOUNTED or head in _SINGULARS.keys() - _PLURALS.keys() or singular(head) != head:
        return noun
    return with_article(noun)


def bare(phrase: str) -> str:
    """A phrase as it is refused: ``in a kitchen`` -> ``kitchen``, as in "no kitchen"."""
    return _FRAME.sub("", phrase) or phrase


def plural(noun: str) -> str:
    """``dog`` -> ``dogs``; of a phrase, its last word (``bunch of bananas`` -> ``bunches of bananas``)."""
    head, of, rest = noun.partition(" of ")
    words = head.split(" ")
    words[-1] = _plural_word(words[-1])
    return " ".join(words) + of + rest


def singular(word: str) -> str:
    """``dogs`` -> ``dog``; a word that is no plural stays."""
    if word in _SINGULARS:
        return _SINGULARS[word]
    if word.endswith("ies") and len(word) > 4 and not word.endswith(("kies", "vies")):
        return word[:-3] + "y"
    long = ("ches", "shes", "sses", "xes", "zes", "oes", "buses", "lenses")
    if word.endswith(long) and len(word) > 4 and word != "shoes":
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        return word[:-1]
    return word


def listed(items: Sequence[str], word: str = "or") -> str:
    """``red``, ``red or blue``, ``red, blue or green``."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def sentence(text: str) -> str:
    """With a capital at its start."""
    return text[:1].upper() + text[1:]


def _plural_word(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    return word + "s"


_EMPTY = frozenset(
    "a an the of in on at with to for and or is are be was were it its this that there any some someone something"
    " anyone anything made photo picture image taken show shows showing his her their by from main one there's"
    " you your can could see do does did has have what which who whose how many much kind type sort"
    " else visible".split()
)


def words_of(text: str) -> list[str]:
    """Every word of a text, without endings."""
    return [stem(word) for word in _raw(text)]


def content(phrase: str) -> list[str]:
    """The words of a phrase that carry its meaning, without endings."""
    return [stem(word) for word in _raw(phrase) if word not in _EMPTY]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """One form for the forms of a word."""
    word = singular(word)
    if word.endswith("ing") and len(word) > 5:
        word = _undouble(word[:-3])
    elif word.endswith("ed") and len(word) > 4:
        word = _undouble(word[:-2])
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _raw(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower().replace("hot dog", "hotdog"))


def _undouble(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lse" else word


#: Words that end a chunk: what is left between them is close to a noun phrase, which is all that is needed.
_BREAKS = frozenset(
    "a an the this that these those some of on in at with and or is are was were be being has have having to from by"
    " for near next under over above below behind beside between into onto through while as its his her their it he she"
    " they there who which very up down out off around along across against front top side sitting standing walking"
    " riding holding laying lying looking playing wearing eating flying parked sits stands rides holds lays looks plays"
    " wears eats flies filled covered made sit stand ride hold lay look play wear eat fly".split()
)


def chunks(caption: str) -> list[str]:
    """The parts of a caption that name things, e.g. ``red umbrella``, ``wet street``."""
    words = re.findall(r"[a-z]+", caption.lower())
    found: list[list[str]] = [[]]
    for word in words:
        if word in _BREAKS:
            found.append([])
        else:
            found[-1].append(word)
    return [" ".join(part) for part in found if 0 < len(part) <= 4 and len(part[-1]) > 2]


#: The last words of colours that are said in two words.
_LAST = "red green blue yellow orange pink purple brown grey gray black white gold violet turquoise salmon"
_COMPOUND = re.compile(rf"(?P<first>[a-z]{{3,}}?)[-_]?(?P<last>{'|'.join(_LAST.split())})")


def spaced_colour(name: str) -> str:
    """A colour's name in separate words, so that it can be copied from what was said.

    >>> spaced_colour("forestgreen"), spaced_colour("lightgoldenrod"), spaced_colour("red")
    ('forest green', 'lightgoldenrod', 'red')
    """
    found = _COMPOUND.fullmatch(name)
    return f"{found['first']} {found['last']}" if found and found["first"] in ids() else name


def joined_colour(words: str) -> str:
    """A colour's name as one word.

    >>> joined_colour("Forest green"), joined_colour("off-white")
    ('forestgreen', 'offwhite')
    """
    text = words.lower().replace(" ", "")
    return text if text.startswith("#") else re.sub(r"[^a-z]", "", text)


_UNITS += " seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: value for value, word in enumerate(_UNITS.split())}
_WORDS |= {word: 20 + 10 * at for at, word in enumerate(_TENS.split())} | {"fourty": 40, "dozen": 12}
_SCALES = {"hundred": 100, "thousand": 1000, "grand": 1000, "million": 1_000_000}
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
ORDINALS = {word: value for value, word in enumerate(_ORDINALS.split(), start=1)}

_NUMBER_WORD = "|".join((*_WORDS, *_SCALES))
_SPOKEN = re.compile(rf"\b(?:an? )?(?:{_NUMBER_WORD})(?:(?:[ -]+(?:and )?)(?:{_NUMBER_WORD}))*\b")
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[,.' ]\d{3})+(?![\d,])")
_THOUSANDS = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?) ?k\b")
_ABOUT = re.compile(
    r"(?:\b(?:around|about|approximately|roughly|circa|approx\.?|ca\.?|like)|~)\s*[$€£]?\s*(\d+)\b(?!\s*(?:%|percent))"
)
#: Smaller numbers in words are learned.
_SMALL = 12


def spoken_value(phrase: str) -> int:
    """The value of a number in words.

    >>> spoken_value("two hundred and fifty"), spoken_value("thirty-five"), spoken_value("a thousand")
    (250, 35, 1000)
    """
    total = current = 0
    for word in re.findall(r"[a-z]+", phrase):
        if word in _WORDS:
            current = current * _WORDS[word] if word == "dozen" and current else current + _WORDS[word]
        elif word in _SCALES:
            current = max(current, 1) * _SCALES[word]
            if _SCALES[word] > 100:
                total, current = total + current, 0
    return total + current


def hidden_numbers(message: str) -> list[int]:
    """Numbers that a message means but does not write in one piece of digits, in the order said.

    >>> hidden_numbers("under two hundred, at most 1,500"), hidden_numbers("around 50"), hidden_numbers("12k")
    ([200, 1500], [40, 60], [12000])
    """
    text = message.lower()
    found: list[tuple[int, int]] = []
    for match in _SPOKEN.finditer(text):
        value = spoken_value(match[0])
        if value > _SMALL or match[0].endswith("dozen"):
            found.append((match.start(), value))
    found += [(match.start(), int(re.sub(r"\D", "", match[0]))) for match in _GROUPED.finditer(text)]
    found += [(match.start(), round(float(match[1]) * 1000)) for match in _THOUSANDS.finditer(text)]
    about = [(match.start(), int(match[1])) for match in _ABOUT.finditer(text)]
    found += [(at, round(value * share)) for at, value in about for share in (0.8, 1.2)]
    return list(dict.fromkeys(value for _, value in sorted(found, key=lambda pair: pair[0])))


#: Words of a description that do not count.
LITTLE_WORDS = frozenset(
    "a an the of in on at to for with and or some any that this these those it its is are be been was were there "
    "my your his her their our i you we they he she me them us so very really just only also please maybe "
    "more from by as into onto than then too much one ones thing things picture pictures photo photos image images "
    "pic pics shot shots".split()
)
#: Descriptions are the same from this overlap of their words on.
ENOUGH = 0.6
_DESCRIPTIONS = Search | Refine | Avoid | Forget | Answer | Keep | Count | Ask | Remove


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and re.search(r"(?:s|x|z|ch|sh)es$", word):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@lru_cache(maxsize=4096)  # each reading of a message is compared with the message
def content_words(text: str) -> frozenset[str]:
    """The words of a description that count: no little words, plurals folded; all of them where none would be left.

    >>> sorted(content_words("the Dresses with lace"))
    ['dress', 'lace']
    """
    words = re.findall(r"[^\W_]+", text.lower().replace("'s", ""))
    counted = frozenset(_singular(word) for word in words if word not in LITTLE_WORDS)
    return counted or frozenset(words)


def overlap(one: str, other: str) -> float:
    """Shared words of two descriptions over all their words."""
    first, second = content_words(one), content_words(other)
    return len(first & second) / len(first | second) if first | second else 1.0


def _described(command: Command) -> tuple[str, str]:
    """The free text of a command, and the rest of it."""
    match command:
        case Keep():
            return command.attribute, str(command.source)
        case Remove():
            return command.target or "", ""
        case Count():
            return command.text or "", "all" if command.text is None else ""
    return getattr(command, "text", ""), ""


def normal(command: Command) -> str:
    """The text form without what does not matter: case, quotes, spaces."""
    return re.sub(r"[\s\"]+", " ", str(command).lower()).strip()


def same_command(one: Command, other: Command) -> bool:
    """Whether two commands mean the same."""
    if type(one) is not type(other):
        return False
    if not isinstance(one, _DESCRIPTIONS):
        return normal(one).replace(" ", "") == normal(other).replace(" ", "")
    (text, rest), (other_text, other_rest) = _described(one), _described(other)
    return rest == other_rest and overlap(text, other_text) >= ENOUGH


def same_commands(one: Sequence[Command], other: Sequence[Command]) -> bool:
    """Whether two lists of commands mean the same."""
    return len(one) == len(other) and all(map(same_command, one, other))


PEOPLE = "people"
#: What must not be shown where nobody may be.
_NOBODY = re.compile(
    r"(?:one|no one|nobody|anyone|anybody|someone|somebody|humans?|any people)(?: (?:on|in|at|near|around|there)\b.*)?",
    re.IGNORECASE,
)
#: A description of a place in which nobody is.
_WITHOUT_PEOPLE = re.compile(
    r"(?:\bwith )?\b(?:nobody|no ?one|no-one|not a soul|no (?:people|persons?|humans?)"
    r"|without (?:people|any(?:one|body)))\b"
    r"(?: (?:else|around|there|here|visible|to be seen|(?:in|on|at|inside|near) (?:it|them|sight|view"
    r"|the (?:picture|photo|shot|image|frame|background))))*",
    re.IGNORECASE,
)
#: Pictures that are not black and white.
_COLOUR = re.compile(
    r"(?:only |just )?(?:in )?(?:full )?colou?r(?:ed)?(?: (?:photo|picture|image|pic|shot|one)s?)?(?: only)?",
    re.IGNORECASE,
)


def names_nobody(text: str) -> bool:
    """Whether a text stands for people, as what must not be shown: "one on the platform", of "no one on the platform".

    >>> names_nobody("anyone"), names_nobody("one red shoe")
    (True, False)
    """
    return _NOBODY.fullmatch(text) is not None


def absence_in(text: str) -> tuple[str, str] | None:
    """What a description says is not there, after what it says is there: nobody, or no pictures without colours.

    >>> absence_in("beach with nobody on it"), absence_in("colour photos only")
    (('beach', 'people'), ('', 'black and white'))
    """
    if _COLOUR.fullmatch(text.strip()):
        return "", BLACK_AND_WHITE
    found = _WITHOUT_PEOPLE.search(text)
    if found is None:
        return None
    return " ".join(f"{text[: found.start()]} {text[found.end() :]}".split()).strip(" ,;"), PEOPLE


def without(absent: str, attributes: Mapping[str, Attribute]) -> Command:
    """The exclusion of something; by its attribute where black and white pictures have one."""
    if absent == BLACK_AND_WHITE and TONES in attributes:
        return Filter(TONES, "!=", (BLACK_AND_WHITE,))
    return Avoid(absent)
