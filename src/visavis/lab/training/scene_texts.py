"""What is said of COCO's pictures beyond captions: questions turned back into captions, statements, things there.

Everything becomes one small file of texts by picture, which the training reads beside the packs of pictures.
"""

from __future__ import annotations

import csv
import gzip
import json
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from visavis.language.english import chunks

COLOURS = "black white red blue green yellow orange purple pink brown grey gray gold silver beige".split()
COUNTS = ["one", "two", "three", "four", "five", "six"]
_SWAPS: tuple[tuple[str, ...], ...] = (
    tuple(COLOURS),
    tuple(COUNTS),
    ("man", "woman", "boy", "girl"),
    ("small", "large"),
    ("young", "old"),
    ("dog", "cat", "horse", "cow", "sheep", "bird", "elephant", "bear", "zebra", "giraffe"),
    ("car", "bus", "train", "truck", "motorcycle", "bicycle", "boat", "airplane"),
    ("sitting", "standing", "walking", "running", "lying"),
    ("inside", "outside"),
    ("above", "below", "under"),
    ("striped", "checked", "dotted", "floral", "plain"),
    ("short", "long"),
    ("day", "night"),
    ("street", "beach", "kitchen", "bathroom", "field", "room"),
    ("pizza", "sandwich", "cake", "salad", "banana", "apple"),
    ("table", "bed", "couch", "bench", "desk"),
)
_WEARERS = {"Men": "men", "Women": "women", "Boys": "boys", "Girls": "girls"}
_FAMILY = {word: family for family in _SWAPS for word in family}
#: How often a picture's text of each origin is drawn, against the others.
HUMAN, MACHINE, ANSWERED, STATED, TITLE = 3, 2, 1, 1, 10
#: Words that exchange the sides of a relation.
_OPPOSITES = (
    ("left", "right"),
    ("in front of", "behind"),
    ("on top of", "under"),
    ("above", "below"),
    ("inside", "outside"),
    ("near", "far from"),
    ("touching", "far away from"),
    ("facing", "facing away from"),
)
#: Between these, two things may change places and the sentence still says the same.
_EVEN = re.compile(r"^\s*(is|are|was|were|and|with|or|,|next to|near|beside|by|along with)?\s*(a|an|the|some)?\s*$")
#: Articles that come in pairs.
_PAIRS = frozenset(
    "shoes heels flats sandals socks jeans trousers shorts leggings tights sunglasses earrings pants flops boots "
    "gloves jeggings capris trunks boxers cufflinks stockings booties bottoms pyjamas".split()
)
_FORMS = {"is", "are", "was", "were"}


def hard_negative(caption: str, chance: random.Random) -> str | None:
    """The caption with one telling word exchanged (a colour, a count, a thing), or None when it has none."""
    words = caption.split()
    places = [i for i, word in enumerate(words) if word.lower().strip(".,") in _FAMILY]
    if not places:
        return None
    place = chance.choice(places)
    old = words[place].lower().strip(".,")
    words[place] = chance.choice([word for word in _FAMILY[old] if word != old])
    return " ".join(words)


#: What is said of a thing, with its article as ``one`` and without as ``bare``; the first few for every synonym.
_TEMPLATES = (
    "a photo of {one}",
    "{bare}",
    "{one}",
    "a picture of {one}",
    "a photo of the {bare}",
    "there is {one} in the picture",
    "a close-up photo of {one}",
    "an image of {one}",
    "a picture of the {bare}",
    "the {bare}",
)
_WHITE_TEMPLATES = ("{bare} on white", "{one} on a white background")
_FOR_SYNONYMS = 5


def label_sentences(names: list[str], *, white: bool = False) -> tuple[str, ...]:
    """A class's names (synonyms, the usual one first) as captions; ``white`` where its pictures have no background."""
    sentences: list[str] = []
    for place, name in enumerate(names):
        article = "an" if name[:1].lower() in "aeiou" else "a"
        plural = name.endswith("s") and not name.endswith("ss")
        forms = _TEMPLATES if place == 0 else _TEMPLATES[:_FOR_SYNONYMS]
        one = name if plural else f"{article} {name}"
        sentences += [form.format(bare=name, one=one) for form in (*forms, *(_WHITE_TEMPLATES if white else ()))]
    return tuple(dict.fromkeys(sentences))


def product_descriptions(row: dict[str, str]) -> tuple[str, ...]:
    """Short descriptions out of the attributes of a product."""
    colour, article = row["baseColour"].lower(), row["articleType"].lower()
    wearer, usage = _WEARERS.get(row["gender"], "everyone"), row["usage"].lower()
    return (
        f"{colour} {article} for {wearer}",
        f"{usage} {article} in {colour} for {wearer}".strip(),
        f"a photo of {colour} {article}",
        f"{article} for {wearer}",
        f"{usage} {article}".strip(),
        f"{article} on white",
    )


def caption_of(question: str, answer: str) -> str | None:
    """The caption a question was made from: "what sits in a lot" / "motorcycle" is "a motorcycle sits in a lot"."""
    words = question.lower().replace("`", "").split()
    if len(words) < 3 or ("what" not in words[:1] and words[0] not in ("how", "where") and "what" not in words):
        return None
    if words[:2] == ["how", "many"]:
        return " ".join([answer, *words[2:]])
    if question.startswith("what is the color of the "):
        return _article(" ".join([answer, *words[6:]]))
    if words[0] == "where":
        rest = words[2:] if words[1] in (*_FORMS, "do", "does", "did") else words[1:]
        return f"{' '.join(rest)} in the {answer}" if rest else None
    if words[0] != "what":
        place = words.index("what")
        return " ".join([*words[:place], _article(answer), *words[place + 1 :]])
    return _fronted(words[1:], answer)


def _fronted(rest: list[str], answer: str) -> str:
    if rest[0] in ("do", "does", "did"):  # what does the woman hold
        return f"{' '.join(rest[1:])} {_article(answer)}"
    if rest[0] in _FORMS and rest[1] in ("the", "a", "an", "this", "some", "two", "three", "four"):
        verb = next((i for i, word in enumerate(rest) if i > 1 and word.endswith("ing")), None)
        if verb is not None:  # what is the man riding down the hill
            after = rest[verb + 1 :]
            return " ".join([*rest[1:verb], rest[0], rest[verb], _article(answer), *after])
        return " ".join([*rest[1:], "with", _article(answer)])
    many = rest[0] == "are" or (answer.endswith("s") and not answer.endswith("ss"))
    return " ".join([answer if many else _article(answer), *rest])


def _article(word: str) -> str:
    if word.endswith("s") and not word.endswith("ss"):
        return word
    return f"an {word}" if word[:1] in "aeiou" else f"a {word}"


def opposite(statement: str) -> str | None:
    """A statement with its relation turned round, or None when it has none of the known."""
    for one, other in _OPPOSITES:
        for old, new in ((one, other), (other, one)):
            if re.search(rf"\b{old}\b", statement):
                return re.sub(rf"\b{old}\b", new, statement, count=1)
    return None


def exchanged(caption: str, chance: random.Random) -> str | None:
    """The caption with two of its things in each other's place, where that says something else."""
    lower = caption.lower()
    parts = [part for part in dict.fromkeys(chunks(caption)) if lower.count(part) == 1]
    if len(parts) < 2:
        return None
    place = chance.randrange(len(parts) - 1)
    one, other = parts[place], parts[place + 1]
    start, end = lower.index(one), lower.index(other)
    if end < start + len(one) or _EVEN.match(lower[start + len(one) : end]):
        return None
    return lower[:start] + other + lower[start + len(one) : end] + one + lower[end + len(other) :]


def negatives(text: str, chance: random.Random, wanted: int = 3) -> list[str]:
    """Up to so many sentences that differ from the text in one telling word or in who does what."""
    made = [hard_negative(text, chance), hard_negative(text, chance), exchanged(text, chance), opposite(text)]
    different = [wrong for wrong in dict.fromkeys(made) if wrong and wrong.lower() != text.lower()]
    chance.shuffle(different)
    return different[:wanted]


def gather(coco: Path, more: Path, styles: Path | None, flickr: dict[str, list[str]]) -> dict[str, Any]:
    """Everything that is said, by picture: what to learn from, what is wrong, what is there, what is held out."""
    from visavis.lab.datasets.folders import is_held_out  # a training itself needs no data sets

    said: dict[str, list[str]] = {f"flickr:{name}": captions for name, captions in flickr.items()}
    held: dict[str, list[str]] = {}
    things: dict[str, list[str]] = {}
    wrong: dict[str, list[str]] = {}
    captions = {row["image_id"]: row for row in _rows(coco)}
    for row in _rows(more):
        key = f"coco:{row['image_id']}"
        things[key] = row["objects"]
        human = [*captions.get(row["image_id"], {}).get("captions", ()), *row.get("captions", ())]
        if row["split"] == "val":
            if row["image_id"] in captions:
                held[key] = captions[row["image_id"]]["captions"]
            continue
        answered = [caption_of(question, answer) for question, answer in row.get("qa", ())]
        texts = _clean(human) * HUMAN + _clean(row.get("machine_captions", ())) * MACHINE
        texts += _clean(text for text in answered if text) * ANSWERED
        texts += [text for text, true in row.get("statements", ()) if true][:2] * STATED
        if texts:
            said[key] = texts[:24]
        if false := [text for text, true in row.get("statements", ()) if not true]:
            wrong[key] = false
    for row in csv.DictReader(styles.open(encoding="utf-8", newline="")) if styles else ():
        title = ",".join([row["productDisplayName"] or "", *_beyond(row)]).strip(",")
        if title and is_held_out(row["id"]):
            held[f"product:{row['id']}"] = [title]
        elif title:
            said[f"product:{row['id']}"] = [title] * TITLE + [*product_descriptions(row), *_short(row)]
    classes = sorted({name for names in things.values() for name in names})
    numbers = {name: number for number, name in enumerate(classes)}
    return {
        "format": 1,
        "said": said,
        "held": held,
        "wrong": wrong,
        "classes": classes,
        "objects": {key: [numbers[name] for name in names] for key, names in things.items()},
    }


def write(path: Path, texts: dict[str, Any]) -> None:
    """Store as gzipped JSON."""
    path.write_bytes(gzip.compress(json.dumps(texts, ensure_ascii=False).encode(), 9))


def read(path: Path) -> dict[str, Any]:
    """What ``write`` stored."""
    return dict(json.loads(gzip.decompress(path.read_bytes())))


def _short(row: dict[str, str]) -> tuple[str, ...]:
    colour, article = row["baseColour"].lower(), row["articleType"].lower()
    gender = {"Men": "men's", "Women": "women's", "Boys": "boys'", "Girls": "girls'"}.get(row["gender"], "")
    kind = row["subCategory"].lower()
    short = (f"{colour} {article}", article, f"{gender} {article}".strip(), f"{gender} {colour} {kind}".strip())
    return (*short, single(article), single(article, colour))


def single(articles: str, colour: str = "") -> str:
    """One of the articles: "watches" is "a watch", "shoes" is "a pair of shoes"."""
    if articles.split()[-1] in _PAIRS:
        return " ".join(f"a pair of {colour} {articles}".split())
    name = re.sub(r"\btshirt", "t-shirt", articles).replace("scarves", "scarfs")
    ending = re.search(r"(ch|sh|ss|x)es$", name)
    name = name[:-2] if ending else name.removesuffix("s") if not name.endswith("ss") else name
    return _article(f"{colour} {name}".strip())


def _clean(texts: Iterable[str]) -> list[str]:
    return [text for text in (" ".join(t.split()) for t in texts) if text]


def _rows(path: Path) -> Iterable[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _beyond(row: dict[Any, Any]) -> list[str]:
    """What a row has beyond its columns, where a title has commas."""
    return row.get(None) or []
