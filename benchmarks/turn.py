"""Cost of a turn of a conversation, by stage, at several sizes of the collection and lengths of the conversation.

    python benchmarks/turn.py
    python benchmarks/turn.py --embeddings coco.npz --keep FOLDER --sizes 100000 1000000
    python benchmarks/turn.py --keep FOLDER --sizes 100000 --captions --brand

With ``--embeddings`` the vectors are those of real pictures (a collection larger than the file has copies with a
little noise); otherwise they are drawn. Everything else is the product: parser, brief, built-in text encoder,
embedded store with regions, reasons, questions, and the turn saved in SQLite. No message repeats
the words of another, so no text is cached. The first message of a process is not counted.

Beside the median there is the least, the processor time of the thread that answers (what other threads do meanwhile
is not in it) and that of all threads together, which depend less on other processes.
"""

from __future__ import annotations

import argparse
import functools
import json
import random
import shutil
import statistics
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from _turn_data import BRAND, LOOKS, THINGS, catalogued, filled
from visavis.api import Collection, open_collection
from visavis.assistant.assistant import Assistant
from visavis.assistant.question_policy import AskingPause, default_questioner
from visavis.encoders.registry import load_encoder
from visavis.language.base import default_parser
from visavis.search.match_set import MatchSet
from visavis.stores.base import Query

OUT = Path("out/turn.json")
AIM_MS, AIM_GROWTH = 40.0, 1.2
STAGES = (
    "understand",
    "encode text",
    "store",
    "words",
    "judge",
    "other ranking",
    "reasons",
    "question",
    "save",
    "rest",
)


class Stopwatch:
    """Adds up the seconds spent in chosen methods of chosen objects; one within another of its stage counts once."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self._inside: set[str] = set()

    def watch(self, owner, method: str, stage: str) -> None:
        """Count the time of this method for this stage from now on."""
        original = getattr(owner, method)

        @functools.wraps(original)
        def timed(*args, **options):
            if stage in self._inside:
                return original(*args, **options)
            self._inside.add(stage)
            started = time.perf_counter()
            try:
                return original(*args, **options)
            finally:
                self.spent[stage] += time.perf_counter() - started
                self._inside.discard(stage)

        setattr(owner, method, timed)


def messages(chance: random.Random, count: int, brand: bool = False) -> list[str]:
    things = chance.sample(THINGS, count + 1)
    first = f"a {chance.choice(LOOKS)} {things[0]} next to a {things[-1]}" + (f" from {BRAND}" if brand else "")
    return [first] + [f"with a {chance.choice(LOOKS)} {thing}" for thing in things[1:count]]


def measure(
    collection: Collection, lengths: list[int], repeats: int, questions: bool = True, brand: bool = False
) -> dict[int, dict[str, float]]:
    watch = Stopwatch()
    retriever = collection.engine.retriever
    questioner = default_questioner(collection) if questions else None
    if questioner is not None:
        questioner._pause = AskingPause(
            pause=0, most_ignored=10**9
        )  # nobody answers here, and it should look all the same
    parser = default_parser()
    assistant = Assistant(collection, parser, retriever, questioner=questioner)
    if questioner is not None:
        watch.watch(questioner, "ask", "question")
    watch.watch(parser, "understand", "understand")
    watch.watch(collection.encoder, "encode_texts", "encode text")
    watch.watch(collection.store, "query", "store")
    watch.watch(retriever, "retrieve", "retrieve")
    watch.watch(retriever, "_explained", "reasons")
    watch.watch(retriever._words, "find", "words")
    for method in ("_find_likeliest", "first", "count"):  # texts are judged when the first of them is called
        watch.watch(MatchSet, method, "judge")
    watch.watch(assistant.memory, "save", "save")
    assistant.reply(assistant.start(), "a first message, to load everything")
    taken: dict[int, list[dict[str, float]]] = {length: [] for length in lengths}
    chance = random.Random(4)
    for _ in range(repeats):
        talk = assistant.start()
        for turn, message in enumerate(messages(chance, max(lengths), brand), start=1):
            watch.spent.clear()
            before = time.perf_counter(), time.thread_time(), time.process_time()
            assistant.reply(talk, message)
            after = time.perf_counter(), time.thread_time(), time.process_time()
            spent = (end - start for start, end in zip(before, after, strict=True))
            if turn in taken:
                taken[turn].append({**watch.spent, **dict(zip(("total", "thread", "processor"), spent, strict=True))})
    return {length: _medians(rows) for length, rows in taken.items()}


def _medians(rows: list[dict[str, float]]) -> dict[str, float]:
    middle = {stage: 1000 * statistics.median(row.get(stage, 0.0) for row in rows) for stage in (*rows[0], "total")}
    middle["least"] = 1000 * min(row["total"] for row in rows)
    ranking = middle.get("retrieve", 0.0)
    inside = sum(middle.get(stage, 0.0) for stage in ("encode text", "store", "words", "judge", "reasons"))
    middle["other ranking"] = max(0.0, ranking - inside)
    outside = sum(middle.get(stage, 0.0) for stage in ("understand", "question", "save"))
    middle["rest"] = max(0.0, middle["total"] - ranking - outside)
    return {stage: round(value, 2) for stage, value in middle.items()}


def stages_of_the_store(collection: Collection, repeats: int) -> dict[str, float]:
    """Measure the first stage alone and both stages, on the same vectors in one run."""
    vectors = collection.encoder.encode_texts([f"a {look} {thing}" for look, thing in zip(LOOKS, THINGS, strict=False)])
    taken: dict[str, list[float]] = {"first": [], "both": []}
    for number in range(repeats):
        vector = vectors[number % len(vectors)][None]
        for name, states in (("first", None), ("both", vectors[:6])):
            started = time.perf_counter()
            collection.store.query(Query(vector, regions=states, region_weight=0.3, limit=40))
            taken[name].append(time.perf_counter() - started)
    return {name: round(1000 * statistics.median(values), 2) for name, values in taken.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--lengths", type=int, nargs="+", default=[1, 5, 20])
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--no-questions", action="store_true", help="without asking back")
    parser.add_argument("--captions", action="store_true", help="every picture has a caption that is read as well")
    parser.add_argument("--brand", action="store_true", help="the first message names a brand; with --captions")
    parser.add_argument("--embeddings", type=Path, help="vectors of real pictures: whole and regions in one .npz")
    parser.add_argument("--keep", type=Path, help="make the collections here, and use those that are there already")
    parser.add_argument("--only-make", action="store_true", help="make the collections and measure nothing")
    options = parser.parse_args()
    console, report = Console(width=120), {}
    encoder = load_encoder("builtin")
    for size in options.sizes:
        scratch = Path(tempfile.mkdtemp(prefix="visavis-turn-"))
        kind = f"{'real' if options.embeddings else 'drawn'}-{size}{'-captions' if options.captions else ''}"
        try:
            started = time.perf_counter()
            store = filled((options.keep or scratch) / kind, size, options.embeddings, options.captions)
            console.print(f"{kind}: there after {time.perf_counter() - started:.0f} s", style="dim")
            if options.only_make:
                store.close()
                continue
            collection = open_collection("turns", scratch / "home", store, encoder=encoder, create=True)
            if options.captions:
                catalogued(collection.catalogue, store)
            by_length = measure(
                collection,
                options.lengths,
                options.repeats,
                not options.no_questions,
                options.captions and options.brand,
            )
            report[kind] = {"turns": by_length, "store": stages_of_the_store(collection, options.repeats)}
            collection.close()
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        console.print(_table(kind, by_length, options.repeats))
        console.print(f"the store: {report[kind]['store']}")
    if report:
        OUT.parent.mkdir(exist_ok=True)
        aims = {"aim_ms": AIM_MS, "aim_growth": AIM_GROWTH, "questions": not options.no_questions}
        OUT.write_text(json.dumps({**aims, "sizes": report}, indent=1) + "\n")


def _table(kind: str, by_length: dict[int, dict[str, float]], repeats: int) -> Table:
    table = Table(title=f"{kind}: milliseconds, median of {repeats}")
    columns = (*STAGES, "total", "least", "thread", "processor")
    for column in ("turn", *columns):
        table.add_column(column, justify="right")
    for length, row in by_length.items():
        table.add_row(str(length), *(f"{row.get(stage, 0.0):.1f}" for stage in columns))
    return table


if __name__ == "__main__":
    main()
