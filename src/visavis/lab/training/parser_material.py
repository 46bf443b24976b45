"""What the parser learns from, as pieces in one file: the corpus with variants, and weaker material to start with.

Weaker material: generated dialogues, captions as searches, relative captions as refinements, editing requests with
labels by keywords. CAISE is only ever read into a file of its own: its licence does not allow weights to be shipped.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np

from visavis.lab.datasets.talk import Row, read_rows
from visavis.lab.dialogues import examples
from visavis.lab.training.parser_inquiries import InquiryTalk
from visavis.lab.training.parser_shops import ShopTalk
from visavis.lab.training.parser_situations import SituationTalk
from visavis.lab.training.parser_texts import caption_rows, fashion_captions, relative_rows, request_rows, title_rows
from visavis.lab.training.parser_turns import TurnTalk
from visavis.lab.training.parser_variants import Variation
from visavis.language.codec import encode_commands
from visavis.language.commands import AdjustColor, Avoid, Clarify, Command, ImageCutout, Refine, Rollback, Search
from visavis.language.context import Attribute
from visavis.language.pieces import END, WRITTEN_MARKS, ids, words
from visavis.language.prompt import encode_prompt

#: Writers that are never learned from: one to choose and to calibrate by, one to report.
VALIDATION, TEST = "z", "y"
#: ... and one in the contexts of real collections, to see whether what is learned helps there.
IN_SHOPS = "ac"
#: ... and the last one that wrote, to choose by beside the first.
LATEST = "ah"
#: ... and one who wrote down beforehand what was misread and is to be learned.
AIMED_AT = "aj"
#: ... and one in the middle of searches: widening, switching, asking about results.
MIDWAY = "am"
#: ... and one in contexts that a real assistant gave, with all that is said there in its natural shares.
IN_TALKS = "aq"
#: Writes whole conversations of first-time users.
WHOLE_TALKS = "au"
#: Writes what many people say in the middle of conversations, shops and photos alike.
FRESH = "az"
#: One of ten who wrote long, free messages in such conversations.
FREE = "bj"
HELD_BACK = (VALIDATION, TEST, IN_SHOPS, LATEST, AIMED_AT, MIDWAY, IN_TALKS, WHOLE_TALKS, FRESH, FREE)
#: Conversations that were played to judge the assistant; they are no material at all.
PLAYED = "play"
#: The longest output that is learned.
LONGEST_TARGET = 62
_CLARIFY = (Clarify("?"),)


@dataclass
class Material:
    """Samples of pieces, one after the other.

    Attributes:
        inputs: The pieces of each input.
        messages: How many pieces of each input belong to the message.
        targets: The pieces of each output, the end included.
        sources: A name for where each sample is from: ``corpus/a``, ``coco``.
        rows: The number of the row that each sample is a variant of.
    """

    inputs: list[list[int]] = field(default_factory=list)
    messages: list[int] = field(default_factory=list)
    targets: list[list[int]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    def add(self, row: Row, source: str, number: int, earlier: Sequence[str] = ()) -> None:
        """Add a row, unless its output is too long."""
        target = encode_commands(row.commands or _CLARIFY, row.message)
        if len(target) > LONGEST_TARGET:
            return
        prompt = encode_prompt(row.message, row.context, earlier)
        self.inputs.append(prompt.ids)
        self.messages.append(prompt.message_length)
        self.targets.append([*target, END])
        self.sources.append(source)
        self.rows.append(number)

    def extend(self, other: Material) -> None:
        """Add all of another one's."""
        self.inputs += other.inputs
        self.messages += other.messages
        self.targets += other.targets
        self.sources += other.sources
        self.rows += other.rows

    def save(self, path: Path, generated: Sequence[int]) -> None:
        """Write everything as one compressed file."""
        names = sorted(set(self.sources))
        arrays = {
            "inputs": np.array([piece for one in self.inputs for piece in one], np.uint16),
            "input_lengths": np.array([len(one) for one in self.inputs], np.uint16),
            "message_lengths": np.array(self.messages, np.uint16),
            "targets": np.array([piece for one in self.targets for piece in one], np.uint16),
            "target_lengths": np.array([len(one) for one in self.targets], np.uint16),
            "source": np.array([names.index(source) for source in self.sources], np.uint16),
            "source_names": np.array(names),
            "row": np.array(self.rows, np.int32),
            "generated": np.array(generated, np.uint16),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(path, **arrays)  # type: ignore[arg-type]  # none is called "allow_pickle"


@dataclass(frozen=True)
class ParserSources:
    """Where the material lies; what is None is left out.

    Attributes:
        corpus: The folder of the corpus, one file a writer.
        coco: ``captions.jsonl``.
        products: ``styles.csv``: titles of products, which people paste as they stand.
        fashion: The folder of Fashion IQ.
        requests: The folder of editing requests and of relative captions of shoes.
        labelled: Requests labelled by a network, as rows, beside those with labels by keywords.
        generated: How many generated dialogues.
        captions: How many captions.
        titles: How many titles of products.
        shops: How many short wishes in collections with many attributes.
        situations: How many messages whose meaning depends on the situation.
        inquiries: How many questions, orders and changes of mind.
        turns: How many ways back to earlier turns, and crops to a thing or without it.
        variants: How many variants of each row of the corpus, beside the row itself.
        pieces: The pieces that can be generated, where a trained network has chosen them already.
    """

    corpus: Path
    coco: Path | None = None
    products: Path | None = None
    fashion: Path | None = None
    requests: Path | None = None
    labelled: Path | None = None
    generated: int = 60_000
    captions: int = 40_000
    titles: int = 15_000
    shops: int = 0
    situations: int = 0
    inquiries: int = 0
    turns: int = 0
    variants: int = 8
    seed: int = 0
    pieces: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Part:
    """Some rows to encode, with variants; or so many to make up, as the source says."""

    rows: Sequence[Row]
    source: str
    first: int
    variants: int
    seed: int
    made_up: int = 0


class _Parts:
    """Encodes parts of the material, each by a seed of its own, so that they may be shared out."""

    def __init__(
        self, parts: Sequence[_Part], learned: Sequence[Row], known: frozenset[str], captions: Sequence[str]
    ) -> None:
        self.parts, self._learned, self._known, self._captions = parts, learned, known, captions
        self._shops = [row.context.attributes for row in learned if row.context.attributes]

    def encoded(self, at: int) -> Material:
        """One part."""
        part, material = self.parts[at], Material()
        variation = Variation(self._learned, lambda word: word in self._known, part.seed) if part.variants else None
        for number, row in enumerate((*part.rows, *self._made_up(part)), part.first):
            material.add(row, part.source, number)
            for _ in range(part.variants if variation else 0):
                assert variation is not None
                material.add(variation.variant(row), part.source, number)
        return material

    def _made_up(self, part: _Part) -> Iterator[Row]:
        if part.source == "situations":
            return islice(SituationTalk(part.seed, self._learned, self._captions).rows(), part.made_up)
        if part.source == "inquiries":
            return islice(InquiryTalk(part.seed, self._learned).rows(), part.made_up)
        if part.source == "turns":
            return islice(TurnTalk(part.seed).rows(), part.made_up)
        return islice(ShopTalk(part.seed, self._shops).rows(), part.made_up)


#: What forked processes encode; rows are not sent to them.
_shared: list[_Parts] = []
_PART = 500


def _encoded(at: int) -> Material:
    return _shared[-1].encoded(at)


def build(sources: ParserSources, processes: int = 1) -> tuple[Material, list[int]]:
    """The samples, and the pieces that must be generated; several processes need a system that can fork."""
    chance = random.Random(sources.seed)
    paths = [path for path in sorted(sources.corpus.glob("*.jsonl")) if path.stem != PLAYED]
    writers = {path.stem: list(read_rows(path)) for path in paths}
    learned = [row for name, rows in writers.items() if name not in HELD_BACK for row in rows]
    groups: dict[str, list[Row]] = {f"corpus/{name}": rows for name, rows in writers.items()}
    shops = [row.context.attributes for row in learned if row.context.attributes]
    for row, source in _weak(sources, shops, chance):
        groups.setdefault(source, []).append(row)
    generated = sources.pieces or generated_pieces(learned)
    parts: list[_Part] = []
    number = 0
    for source, rows in groups.items():
        varied = source.startswith("corpus/") and source.removeprefix("corpus/") not in HELD_BACK
        for at in range(0, len(rows), _PART):
            seed = sources.seed * 1000 + len(parts)
            parts.append(_Part(rows[at : at + _PART], source, number + at, sources.variants if varied else 0, seed))
        number += len(rows)
    made_up = {name: getattr(sources, name) for name in ("shops", "situations", "inquiries", "turns")}
    for source, count in made_up.items():
        for at in range(0, count, _PART):
            seed = sources.seed * 1000 + len(parts)
            parts.append(_Part((), source, number + at, 0, seed, min(_PART, count - at)))
        number += count
    captions = [row.commands[0].text for row in groups.get("coco", ()) if isinstance(row.commands[0], Search)]
    work = _Parts(parts, learned, frozenset(words()[piece] for piece in generated), captions)
    material = Material()
    if processes > 1:
        _shared.append(work)
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            for part in pool.imap(_encoded, range(len(parts))):
                material.extend(part)
        _shared.pop()
    else:
        for at in range(len(parts)):
            material.extend(work.encoded(at))
    return material, generated


#: So many pieces can be generated; the most frequent words fill up what the corpus needs.
GENERATED = 6000
_FIRST_WORD = 1996  # before it BERT has marks, letters and signs


def generated_pieces(rows: Sequence[Row], count: int = GENERATED) -> list[int]:
    """The pieces that the network can write without copying: marks, digits, what the rows need, frequent words."""
    needed = dict.fromkeys([END, *sorted(WRITTEN_MARKS)])
    needed |= dict.fromkeys(
        i for i, word in enumerate(words()) if re.fullmatch(r"(?:##)?[0-9]{1,2}|[a-z]|(?:##)[a-z]", word)
    )
    needed |= dict.fromkeys(
        ids()[str(n)] for n in (*range(100, 1001, 10), *range(1900, 2031), 360, 180, 270) if str(n) in ids()
    )
    for row in rows:
        needed |= dict.fromkeys(encode_commands(row.commands, row.message))
    for at in range(_FIRST_WORD, len(words())):
        if len(needed) >= count:
            break
        if words()[at].isascii():
            needed[at] = None
    return sorted(list(needed)[:count] if len(needed) > count else needed)


def _weak(
    sources: ParserSources, shops: Sequence[Mapping[str, Attribute]], chance: random.Random
) -> Iterator[tuple[Row, str]]:
    for example in islice(examples(sources.seed + 1), sources.generated):
        if not _outdated(example.message, example.commands):
            yield Row(example.message, example.context, tuple(example.commands)), "generated"
    if sources.coco:
        for row in islice(caption_rows(sources.coco, chance), sources.captions):
            yield row, "coco"
    if sources.products:
        for row in islice(title_rows(sources.products, shops, chance), sources.titles):
            yield row, "titles"
    if sources.fashion:
        for row in relative_rows(fashion_captions(sources.fashion), chance):
            yield row, "fashion"
    if sources.requests:
        shoes = json.loads((sources.requests / "relative_captions_shoes.json").read_text(encoding="utf-8"))
        for row in relative_rows([item["RelativeCaption"] for item in shoes], chance):
            yield row, "shoes"
        for row in request_rows(sources.requests, chance):
            yield row, "requests"
        for row in read_rows(sources.labelled) if sources.labelled else ():
            yield row, "labelled"


_PREVIOUS = re.compile(r"\b(?:previous|opposite|remove|erase|delete|get rid|drop|further|vintager)\b")


def _outdated(message: str, commands: Iterable[Command]) -> bool:
    """Whether a generated dialogue teaches what the guide reads otherwise."""
    text = message.lower()
    for command in commands:
        if isinstance(command, AdjustColor | ImageCutout) and command.target is not None:
            return True
        if isinstance(command, Rollback | Avoid | Refine) and _PREVIOUS.search(text):
            return True
        if str(command) == "fewer" or (isinstance(command, Search) and "colo" in text):
            return True
    return "further" in text or "opposite" in text


def caise_material(
    folder: Path, generated: Sequence[int], variants: int = 8, *, history: bool = True, concepts: bool = True
) -> tuple[Material, list[int]]:
    """CAISE alone: its train split with variants, its validation split as it is; and what must be generated."""
    from visavis.lab.training.caise_samples import caise_rows

    material = Material()
    for split, count in (("train", variants), ("valid", 0)):
        for number, row, earlier in caise_rows(folder, split, count, history=history, concepts=concepts):
            material.add(row, f"caise/{split}", number, earlier)
    trained = {
        piece
        for target, source in zip(material.targets, material.sources, strict=True)
        if source == "caise/train"
        for piece in target
    }
    return material, sorted({*generated, *trained})
