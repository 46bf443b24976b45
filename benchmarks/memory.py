"""Memory of a process that answers 2,000 messages: resident megabytes every 200 messages.

    python benchmarks/memory.py                       # one conversation of 2,000 messages
    python benchmarks/memory.py --talk 10             # 200 conversations of ten messages each
    python benchmarks/memory.py --trace               # which lines hold the memory that was added (slower)

The collection is that of the server's benchmark: the items of the demo's shop, described and not drawn. Messages wish,
refine, exclude, filter, ask, go back and start anew; no two conversations say the same.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import time
import tracemalloc
from pathlib import Path

import psutil

from _server_home import COLLECTION, make_home
from visavis.api import open_collection
from visavis.assistant.assistant import Assistant
from visavis.assistant.question_policy import default_questioner

OUT = Path("out/memory.json")
HOME = Path("out/memory-home")
COLOURS = "red blue green yellow black white pink orange purple grey navy teal beige brown".split()
THINGS = "dress shirt skirt coat bag hat shoes trousers T-shirt top jacket scarf boots sandals jeans".split()
LOOKS = "striped plain floral dotted checked long short light dark elegant warm".split()
FIRST = (
    "a {colour} {look} {thing}",
    "{thing} in {colour}",
    "something {look}, a {thing}",
    "new search: {look} {thing}",
)
MORE = (
    "with {look} sleeves",
    "in {colour}",
    "no {colour}",
    "without {look} ones",
    "under {number} euros",
    "more",
    "like number {small}",
    "how many are {colour}?",
    "go back {small} steps",
    "undo",
    "forget the {colour}",
    "rather a {thing}",
)


def message(chance: random.Random, first: bool) -> str:
    """Return what a person may say, at the beginning of a search or within it."""
    return chance.choice(FIRST if first else MORE).format(
        colour=chance.choice(COLOURS),
        thing=chance.choice(THINGS),
        look=chance.choice(LOOKS),
        number=chance.randrange(10, 200),
        small=chance.randrange(1, 4),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=2000)
    parser.add_argument("--talk", type=int, default=0, help="messages of a conversation; 0 for one conversation")
    parser.add_argument("--pictures", type=int, default=1000)
    parser.add_argument("--every", type=int, default=200)
    parser.add_argument("--home", type=Path, default=HOME)
    parser.add_argument("--trace", action="store_true", help="say which lines hold the memory that was added")
    options = parser.parse_args()
    make_home(options.home, options.pictures)
    process, chance, rows = psutil.Process(), random.Random(18), []
    with open_collection(COLLECTION, options.home) as collection:
        assistant = Assistant(collection, questioner=default_questioner(collection))
        talk, begun, before = assistant.start(), time.perf_counter(), None
        for number in range(1, options.messages + 1):
            if options.talk and len(talk) >= options.talk:
                talk = assistant.start()
            assistant.reply(talk, message(chance, len(talk) % 10 == 0))
            if number == options.every and options.trace:
                tracemalloc.start(12)
            if number % options.every == 0 or number == 20:
                gc.collect()
                took = time.perf_counter() - begun
                rows.append({"messages": number, "mb": round(process.memory_info().rss / 1e6, 1), "s": round(took, 1)})
                print(json.dumps(rows[-1]), flush=True)
            if options.trace and number == options.every:
                before = tracemalloc.take_snapshot()
        if before is not None:
            for line in tracemalloc.take_snapshot().compare_to(before, "lineno")[:25]:
                print(line)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"talk": options.talk, "pictures": options.pictures, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
