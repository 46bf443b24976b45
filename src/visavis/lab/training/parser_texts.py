"""What the parser learns from texts of other people: captions, titles, relative captions, editing requests."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from visavis.errors import BadInputError
from visavis.lab.datasets.talk import Row
from visavis.lab.training.parser_requests import labelled
from visavis.language.commands import Refine, Search
from visavis.language.context import Attribute, Context

_TOPICS = ("dress", "shoes", "red sneakers", "summer tops", "black boots", "evening gown", "shirt", "handbag", "jacket")
_ASKING = (
    "show me {}|find {}|i'm looking for {}|{}|{}|{}|looking for {}|pictures of {}|do you have {}|i want to see {}|"
    "can you find me {}|search for {}|got any photos of {}|{} please|need {}|a photo of {}|any {}?|give me {}"
).split("|")


def _description(caption: str) -> str:
    text = re.sub(r"\s+", " ", caption).strip(" .").strip()
    text = re.sub(r"^(?:there (?:is|are) |this is |these are |it is )", "", text, flags=re.IGNORECASE)
    return re.sub(r"^(?:an?|the) ", "", text, flags=re.IGNORECASE)


def caption_rows(path: Path, chance: random.Random) -> Iterator[Row]:
    """Captions as first searches, or as new ones with another topic."""
    with path.open(encoding="utf-8") as lines:
        captions = [caption for line in lines for caption in json.loads(line)["captions"][:2]]
    chance.shuffle(captions)
    for at, caption in enumerate(captions):
        text = _description(caption)
        if not 2 <= len(text.split()) <= 14:
            continue
        said = text if chance.random() < 0.5 else caption.strip(" .")
        said = said[:1].lower() + said[1:]
        context = Context()
        if chance.random() < 0.15:
            topic = _description(captions[at - 1]).lower()
            context = Context(turns=chance.randint(1, 6), shown=12, columns=4, topic=topic)
        yield Row(chance.choice(_ASKING).format(said), context, (Search(text.lower()),))


def title_rows(path: Path, shops: Sequence[Mapping[str, Attribute]], chance: random.Random) -> Iterator[Row]:
    """Titles of products as first searches: names are nothing to split into conditions."""
    with path.open(encoding="utf-8", newline="") as lines:
        titles = [row["productDisplayName"].strip() for row in csv.DictReader(lines)]
    chance.shuffle(titles)
    for title in titles:
        said = title if chance.random() < 0.6 else title.lower()
        asked = said if chance.random() < 0.7 else chance.choice(_ASKING).format(said)
        attributes = chance.choice(shops) if shops and chance.random() < 0.6 else {}
        yield Row(asked, Context(attributes=attributes), (Search(title.lower()),))


def fashion_captions(folder: Path) -> list[str]:
    """The relative captions of Fashion IQ's training split."""
    files = sorted(folder.glob("cap.*.train.json"))
    return [caption for file in files for item in json.loads(file.read_text("utf-8")) for caption in item["captions"]]


_LEAD = re.compile(
    r"^(?:(?:it|the (?:dress|shirt|top|shoe|one))\s+)?(?:is|are|has|have|with|features?)\s+(?:an? )?", re.IGNORECASE
)


def relative_rows(captions: Sequence[str], chance: random.Random) -> Iterator[Row]:
    """Relative captions of one clause as refinements."""
    for caption in captions:
        text = re.sub(r"\s+", " ", caption).strip(" .").lower()
        if re.search(r"\b(?:and|but|no|not|without|instead|same|,)\b|,", text) or not 1 <= len(text.split()) <= 9:
            continue
        wish = _LEAD.sub("", text)
        if not wish or wish == "more":
            continue
        context = Context(turns=chance.randint(1, 5), shown=12, columns=4, topic=chance.choice(_TOPICS))
        said = chance.choice((text, text, wish, f"i want it {wish}", f"something {wish}"))
        yield Row(said, context, (Refine(wish),))


def request_rows(folder: Path, chance: random.Random) -> Iterator[Row]:
    """Editing requests with one picture in hand, with labels by keywords; the commonest are thinned out."""
    texts: list[str] = []
    for line in (folder / "gier.train.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        texts += [*record["expert"], *record["amateur"]]
    for name in ("fivek.txt", "editing_request.txt"):
        texts += (folder / name).read_text(encoding="utf-8").splitlines()
    seen: set[str] = set()
    counts: dict[str, int] = {}
    chance.shuffle(texts)
    for text in texts:
        said = text.strip()
        if said.lower() in seen or len(said) > 200:
            continue
        seen.add(said.lower())
        try:
            commands = labelled(said)
        except BadInputError:
            continue
        key = " ".join(map(str, commands))
        counts[key] = counts.get(key, 0) + 1
        if commands and counts[key] <= 150:  # thousands of requests only want it brighter
            yield Row(said, Context(turns=chance.randint(1, 4), picture=True), commands)
