"""Flip bits of a collection's store and catalogue, one at a time, and count how many are told.

    python tools/flip_bits.py --places 24

Each place is a byte that is not zero (the engine reserves room that nothing is in). Told: opening, searching or
``verify`` gives an error in words, or ``verify`` finds a fault. Raw: another exception. Harmless: nothing is told, and
rows, vectors, results and conversations are what they were. Silent: they are not.
"""

from __future__ import annotations

import argparse
import logging
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from visavis.api import open_collection
from visavis.conversation.memory import Memory
from visavis.conversation.turns import Turn
from visavis.demo import describe, draw
from visavis.errors import VisavisError

COLLECTION = "flipped"
TEXTS = ("a red dress", "black shoes", "a striped shirt")


def make(home: Path, count: int) -> None:
    """A small collection with captions, and a conversation."""
    folder = home / "pictures"
    folder.mkdir(parents=True)
    for number in range(count):
        item = describe(3, number)
        draw(item).save(folder / f"{number}.jpg")
        (folder / f"{number}.txt").write_text(item.caption)
    with open_collection(COLLECTION, home, create=True) as collection:
        collection.index(folder)
        memory = Memory(collection.catalogue)
        talk = memory.start("talk")
        for number in range(1, 20):
            memory.save(talk, Turn(number, f"message {number}", stands_at=number))


def state(home: Path) -> tuple[object, str]:
    """Everything that a person could see of a collection, and what verifying it tells."""
    with open_collection(COLLECTION, home) as collection:
        found = [[result.picture.id for result in collection.search(text, k=20).results] for text in TEXTS]
        rows = sorted((one.id, one.captions, sorted(one.attributes.items()), one.paths) for one in collection)
        points = [
            (point.id, np.round(point.whole, 2).tobytes(), None if point.regions is None else point.regions.tobytes())
            for points in collection.store.scroll()
            for point in points
        ]
        turns = [turn.as_json() for turn in Memory(collection.catalogue).load("talk").turns]
        faults = collection.verify().faults
        return (found, rows, sorted(points), turns), ", ".join(faults)


def judge(home: Path, sound: Path) -> str:
    """What becomes of a damaged home, in a process of its own: the engine may end it."""
    ended = subprocess.run(  # noqa: S603  # this program
        [sys.executable, __file__, "--judge", str(home), str(sound)], capture_output=True, text=True, check=False
    )
    return (
        ended.stdout.strip().splitlines()[-1]
        if ended.stdout.strip()
        else f"raw: the process ended ({ended.returncode})"
    )


def judged(home: Path, sound: Path) -> str:
    """Compare a damaged home with the sound one."""
    logging.disable()
    good, _ = state(sound)
    try:
        seen, told = state(home)
    except VisavisError as error:
        return f"told: {error.message}"
    except Exception as error:  # what nobody expected is what is looked for
        return f"raw: {error!r:.200}"
    if told:
        return f"told: {told}"
    return "harmless" if seen == good else "silent"


def places(folder: Path, pattern: str, count: int, chance: random.Random) -> list[tuple[Path, int]]:
    """Some bytes of the files that are not zero, each as likely as the others."""
    files = [
        (path, np.flatnonzero(np.fromfile(path, np.uint8))) for path in sorted(folder.rglob(pattern)) if path.is_file()
    ]
    files = [(path, used) for path, used in files if len(used)]
    chosen = chance.choices(files, [len(used) for _, used in files], k=count)
    return [(path, int(chance.choice(used))) for path, used in chosen]


def main() -> None:
    """Make a collection, flip, judge, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--places", type=int, default=24)
    parser.add_argument("--pictures", type=int, default=60)
    parser.add_argument("--part", choices=("store", "catalogue"), help="one of the two only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="visavis-flip-") as scratch:
        sound = Path(scratch) / "sound"
        make(sound, options.pictures)
        inside = sound / "collections" / COLLECTION
        for part, folder, pattern in (("store", inside / "store", "*"), ("catalogue", inside, "catalogue.sqlite")):
            if options.part not in (None, part):
                continue
            counted: Counter[str] = Counter()
            chance = random.Random(18)
            for path, at in places(folder, pattern, options.places, chance):
                home = Path(scratch) / "home"
                shutil.copytree(sound, home)
                target = home / path.relative_to(sound)
                data = bytearray(target.read_bytes())
                data[at] ^= 1 << chance.randrange(8)
                target.write_bytes(data)
                told = judge(home, sound)
                counted[told.partition(":")[0]] += 1
                print(f"{part}: {target.name} {at}: {told[:140]}", flush=True)
                shutil.rmtree(home)
            print(f"{part}: {dict(counted)} of {options.places}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--judge"]:
        print(judged(Path(sys.argv[2]), Path(sys.argv[3])))
    else:
        main()
