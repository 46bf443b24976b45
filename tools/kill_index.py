"""Kill an indexing process again and again and compare the collection with one that was never killed.

    python tools/kill_index.py --kills 200            # at random moments
    python tools/kill_index.py --kills 200 --calls    # at random system calls that write (needs strace)

Rounds of twenty kills each, like those of the test in ``tests/collections/test_crashes.py``, then one index that is not
killed. Prints what differs and how long that index took, and ends with 1 if anything differs. Run it beside other work:
a loaded machine puts threads out of step.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "support"), str(ROOT / "tests" / "collections")]

from processes import command, environment, finish, start, visavis_json  # noqa: E402
from test_crashes import contents, plant  # noqa: E402

_KILLS_A_ROUND = 20
#: The calls that change files, and about how often one thread makes each in a run that nobody kills.
_CALLS = {
    "pwrite64": 400, "write": 60, "fsync": 15, "fdatasync": 40, "msync": 60, "rename": 200, "renameat": 20,
    "ftruncate": 20, "unlink": 9, "unlinkat": 20, "mkdir": 200,
}  # fmt: skip


def killed_at_a_moment(home: Path, many: Path, chance: random.Random, longest: float) -> bool:
    """Kill a run after a while; whether it still ran."""
    process = start(home, "index", many, "-c", "photos", TINY_DELAY="0.02")
    time.sleep(chance.uniform(0.3, longest))
    running = process.poll() is None
    process.kill()
    process.communicate()
    return running


def killed_at_a_call(home: Path, many: Path, chance: random.Random) -> bool:
    """Kill a run when it makes a system call that writes; whether it came so far."""
    call = chance.choice(list(_CALLS))
    inject = f"{call}:signal=SIGKILL:when={chance.randint(1, _CALLS[call])}"
    traced = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={inject}"]
    ended = subprocess.run(  # noqa: S603  # our own command
        [*traced, *command("index", many, "-c", "photos")], env=environment(home), capture_output=True, check=False
    )
    return ended.returncode != 0


def main() -> None:
    """Run the rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=3.0, help="seconds before a kill, at most")
    parser.add_argument("--calls", action="store_true", help="kill at system calls instead of moments")
    parser.add_argument("--patience", type=float, default=900.0, help="seconds for the index that is not killed")
    options = parser.parse_args()
    chance, killed, wrong = random.Random(options.seed), 0, 0
    with tempfile.TemporaryDirectory(prefix="visavis-kills-") as folder:
        root = Path(folder)
        many = plant(root / "many")
        finish(start(root / "calm", "index", many, "-c", "photos"), timeout=options.patience)
        calm = contents(root / "calm")
        for number in range(options.kills // _KILLS_A_ROUND):
            home = root / f"rough{number}"
            for _ in range(_KILLS_A_ROUND):
                killed += (
                    killed_at_a_call(home, many, chance)
                    if options.calls
                    else killed_at_a_moment(home, many, chance, options.longest)
                )
            begun, worked = time.monotonic(), _children_worked()
            finish(start(home, "index", many, "-c", "photos"), timeout=options.patience)
            took, worked = time.monotonic() - begun, _children_worked() - worked
            sound = visavis_json(home, "collection", "verify", "photos")["sound"]
            found = contents(home)
            for part, wanted in calm.items():
                if found[part] != wanted:
                    print(f"round {number}: {part} differ: {_difference(found[part], wanted)}", flush=True)
            wrong += found != calm or not sound
            told = f"sound: {sound}, the same: {found == calm}"
            spent = f"the last index {took:.1f} s, {worked:.1f} CPU s"
            print(f"round {number}: {killed} kills so far, {told}, {spent}", flush=True)
    sys.exit(1 if wrong else 0)


def _children_worked() -> float:
    """Processor seconds of all processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _difference(found: object, wanted: object) -> str:
    if isinstance(found, dict) and isinstance(wanted, dict):
        keys = [key for key in {*found, *wanted} if found.get(key) != wanted.get(key)][:3]
        return "; ".join(f"{key}: {found.get(key)} instead of {wanted.get(key)}" for key in keys)
    return f"{found} instead of {wanted}"


if __name__ == "__main__":
    main()
