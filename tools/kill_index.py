"""Kill an indexing process at random moments and compare the collection with one that was never killed.

``python tools/kill_index.py --kills 200``: rounds of twenty kills each, like those of the test in
``tests/collections/test_crashes.py``, at random moments. Prints what differs, and ends with 1 if anything does. Run it
beside other work: a loaded machine puts threads out of step.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "collections")]

from processes import start, visavis_json  # noqa: E402
from test_crashes import contents, plant  # noqa: E402

_KILLS_A_ROUND = 20


def main() -> None:
    """Run the rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=3.0, help="seconds before a kill, at most")
    options = parser.parse_args()
    chance, killed, wrong = random.Random(options.seed), 0, 0
    with tempfile.TemporaryDirectory(prefix="visavis-kills-") as folder:
        root = Path(folder)
        many = plant(root / "many")
        visavis_json(root / "calm", "index", many, "-c", "photos")
        calm = contents(root / "calm")
        for number in range(options.kills // _KILLS_A_ROUND):
            home = root / f"rough{number}"
            for _ in range(_KILLS_A_ROUND):
                process = start(home, "index", many, "-c", "photos", TINY_DELAY="0.02")
                time.sleep(chance.uniform(0.3, options.longest))
                killed += process.poll() is None
                process.kill()
                process.communicate()
            visavis_json(home, "index", many, "-c", "photos")
            sound = visavis_json(home, "collection", "verify", "photos")["sound"]
            found = contents(home)
            for part, wanted in calm.items():
                if found[part] != wanted:
                    print(f"round {number}: {part} differ: {_difference(found[part], wanted)}", flush=True)
            wrong += found != calm or not sound
            print(f"round {number}: {killed} kills so far, sound: {sound}, the same: {found == calm}", flush=True)
    sys.exit(1 if wrong else 0)


def _difference(found: object, wanted: object) -> str:
    if isinstance(found, dict) and isinstance(wanted, dict):
        keys = [key for key in {*found, *wanted} if found.get(key) != wanted.get(key)][:3]
        return "; ".join(f"{key}: {found.get(key)} instead of {wanted.get(key)}" for key in keys)
    return f"{found} instead of {wanted}"


if __name__ == "__main__":
    main()
