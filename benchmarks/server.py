"""Load test with fifty users: throughput, times by route, errors and memory of the server with 10,000 pictures.

    python benchmarks/server.py                       # 50 users, 60 s; makes its collection first (kept in out/)
    python benchmarks/server.py --users 10 --seconds 20
    python benchmarks/server.py --seconds 300 --index --faults   # by hand: pictures are indexed beside it, the disk
                                                                 # is full for a while, everything stands still for
                                                                 # a while, child processes are killed, and the
                                                                 # server is killed (SIGKILL) and started again

The server is a process of its own, as `visavis serve` starts it; the users are simulated in this one, on the same
cores.
Each opens the page, sends a message, loads the pictures (a dozen thumbnails), waits for two seconds on average, sends
more, switches a wish off and on, goes back, scrolls, tries an edit, and starts again with something else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
from PIL import Image
from rich.console import Console
from rich.table import Table

from _server_client import Browser, Times
from _server_home import COLLECTION, make_home

OUT = Path("out/server.json")
HOME = Path("out/server-home")
COLOURS = "red blue green yellow black white pink orange purple grey navy teal".split()
THINGS = "dress shirt skirt coat bag hat shoes trousers T-shirt top".split()
PATTERNS = "striped plain floral dotted checked".split()
MORE = ("with long sleeves", "in another colour", "no stripes", "without flowers", "something shorter", "with pockets")
_THUMBNAILS = 12
#: Pictures that are indexed beside the load.
_INDEXED = 500
#: How long a full disk and a standstill last.
_FAULT_SECONDS = 4.0
#: What a person may see while something fails: "try again", by itself or after a moment.
_TRY_AGAIN = frozenset({409, 429, 503, 507})


async def person(browser: Browser, chance: random.Random, until: float, think: float) -> None:
    """Simulate one user, until the time is over."""
    await asyncio.sleep(chance.random() * think)
    while time.monotonic() < until:
        await browser.ask("me", "GET", "/me")
        await browser.ask("collections", "GET", "/collections")
        wall = json.loads(await browser.ask("wall", "GET", f"/collections/{COLLECTION}/wall?limit=60") or b"{}")
        await thumbnails(browser, [one["id"] for one in wall.get("pictures", [])][: 2 * _THUMBNAILS])
        started = await browser.ask("start", "POST", "/conversations", {"collection": COLLECTION})
        id = json.loads(started or b"{}").get("id")
        if id is None:
            await asyncio.sleep(think)  # "try again"
            continue
        talk = f"/conversations/{id}"
        shown = await say(
            browser, talk, f"a {chance.choice(COLOURS)} {chance.choice(PATTERNS)} {chance.choice(THINGS)}"
        )
        for step in chance.sample(("say", "say", "brief", "back", "scroll", "edit", "picture"), 5):
            await asyncio.sleep(chance.expovariate(1 / think))
            if time.monotonic() > until or not shown:
                break
            await act(browser, chance, talk, step, shown)


async def act(browser: Browser, chance: random.Random, talk: str, step: str, shown: list[str]) -> None:
    """Run one action of a user."""
    if step == "say":
        await say(browser, talk, chance.choice(MORE))
    elif step == "brief":
        await browser.ask("brief preview", "POST", f"{talk}/brief/preview", {"changes": ["off 1.1"]})
        await browser.ask("brief", "POST", f"{talk}/brief", {"changes": ["weight 1.1 2"]})
    elif step == "back":
        await browser.ask("rollback", "POST", f"{talk}/rollback", {"turn": 1})
        await browser.ask("conversation", "GET", talk)
    elif step == "scroll":
        for offset in (20, 120, 220):
            await browser.ask("more", "POST", f"{talk}/more?turn=1&offset={offset}&limit=100")
    elif step == "edit":
        picture = f"/collections/{COLLECTION}/pictures/{chance.choice(shown)}"
        for amount in (10, 20, 30):  # a slider in motion
            body = {"commands": [f"adjust_attr brightness {amount}"], "size": 640}
            await browser.ask("edit preview", "POST", f"{picture}/preview", body)
    else:
        await browser.ask("picture", "GET", f"/collections/{COLLECTION}/pictures/{chance.choice(shown)}")
        await browser.ask("facets", "GET", f"/collections/{COLLECTION}/facets")


async def say(browser: Browser, talk: str, text: str) -> list[str]:
    """Send a message, and load its pictures."""
    answer = await browser.ask("message", "POST", f"{talk}/messages", {"text": text}, stream=True)
    last = answer.rpartition(b"data: ")[2]
    turn = json.loads(last)["turn"] if b"event: done" in answer else {"results": []}
    if "number" in turn:
        browser.times.turns[talk] = turn["number"]
    ids = [result["id"] for result in turn["results"]]
    await thumbnails(browser, ids[:_THUMBNAILS])
    return ids


async def thumbnails(browser: Browser, ids: list[str]) -> None:
    await browser.many("thumbnail", [f"/collections/{COLLECTION}/pictures/{id}/thumbnail" for id in ids])


async def crowd(host: str, port: int, users: int, seconds: float, think: float, seed: int) -> Times:
    times, until = Times(), time.monotonic() + seconds
    browsers = [Browser(host, port, times, person) for person in range(users)]
    people = [person(one, random.Random(seed + number), until, think) for number, one in enumerate(browsers)]
    await asyncio.gather(*people)
    for one in browsers:
        one.close()
    return times


async def lost_turns(host: str, port: int, times: Times) -> int:
    """Return how many turns are missing that were acknowledged."""
    browser, lost = Browser(host, port, Times()), 0
    for talk, number in times.turns.items():
        found = json.loads(await browser.ask("", "GET", f"{talk}?limit=1") or b"{}")
        lost += max(0, number - found.get("total", 0))
    browser.close()
    return lost


async def start_indexing(host: str, port: int, folder: Path) -> None:
    """Index a folder of new pictures into a collection of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(_INDEXED):
        noise = np.random.default_rng(number).integers(0, 255, (96, 128, 3), dtype=np.uint8)
        Image.fromarray(noise).save(folder / f"{number}.jpg")
    browser = Browser(host, port, Times())
    name = f"beside-{int(time.time())}"
    await browser.ask("", "POST", "/collections", {"name": name, "folder": str(folder)})
    browser.close()


class Server:
    """The server as a process of its own, which can be killed and started again at the same address."""

    def __init__(self, home: Path) -> None:
        self._home, self._port = home, 0
        self._spent_before = 0.0
        self.start()

    @property
    def spent(self) -> float:
        """Processor time in seconds, that of killed processes included."""
        return self._spent_before + sum(psutil.Process(self.process.pid).cpu_times()[:2])

    def start(self) -> None:
        """Start it, and wait until it answers."""
        program = "from visavis.cli import main; main()"
        options = ["--port", str(self._port), "--no-open", "--home", str(self._home)]
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, "serve", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self.host, port = re.match(r"http://([\d.]+):(\d+)", self.process.stdout.readline()).groups()
        self._port = self.port = int(port)

    @property
    def memory(self) -> int:
        """Resident bytes."""
        return int(psutil.Process(self.process.pid).memory_info().rss)

    def kill_and_restart(self) -> None:
        """Kill it in the middle of its work."""
        self._spent_before = self.spent
        self.process.kill()
        self.process.wait()
        self.start()

    def fill_the_disk(self) -> None:
        """Let no file grow for a while, which is a full disk to whoever writes."""
        limit = psutil.RLIMIT_FSIZE
        process = psutil.Process(self.process.pid)
        kept = process.rlimit(limit)
        process.rlimit(limit, (4096, kept[1]))
        time.sleep(_FAULT_SECONDS)
        process.rlimit(limit, kept)

    def stand_still(self) -> None:
        """Stop it for a while, as a disk or a machine that does not answer."""
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(_FAULT_SECONDS)
        self.process.send_signal(signal.SIGCONT)

    def kill_children(self) -> None:
        """Kill the processes that it started: those that decode and those that build indexes."""
        for child in psutil.Process(self.process.pid).children(recursive=True):
            child.kill()

    def suffer(self, seconds: float) -> None:
        """Inject one fault after the other, evenly over so many seconds."""
        faults = (self.fill_the_disk, self.kill_children, self.kill_and_restart, self.stand_still, self.kill_children)
        for fault in faults:
            time.sleep(seconds / (len(faults) + 1))
            fault()


async def costs(host: str, port: int, server: Server) -> dict[str, float]:
    """Return the server's processor time of one request in milliseconds, which hardly depends on the load."""
    browser, made = Browser(host, port, Times()), {}

    async def cost(name: str, count: int, ask) -> None:
        await ask(0)
        before = server.spent
        for number in range(count):
            await ask(number + 1)
        made[name] = round(1000 * (server.spent - before) / count, 1)

    async def talk(number: int) -> None:
        started = json.loads(await browser.ask("", "POST", "/conversations", {"collection": COLLECTION}))
        text = f"a {COLOURS[number % 12]} {PATTERNS[number % 5]} {THINGS[number % 10]}"
        await browser.ask("", "POST", f"/conversations/{started['id']}/messages", {"text": text})

    wall = json.loads(await browser.ask("", "GET", f"/collections/{COLLECTION}/wall?limit=60"))["pictures"]
    ids = [one["id"] for one in wall]
    path = f"/collections/{COLLECTION}/pictures"
    await cost("a new conversation and its first message", 20, talk)
    await cost("thumbnail", 200, lambda n: browser.ask("", "GET", f"{path}/{ids[n % 60]}/thumbnail"))
    await cost("wall", 30, lambda _: browser.ask("", "GET", f"/collections/{COLLECTION}/wall?limit=60"))
    edit = {"commands": ["adjust_attr brightness 20"], "size": 640}
    await cost("edit preview", 20, lambda _: browser.ask("", "POST", f"{path}/{ids[0]}/preview", edit))
    browser.close()
    if browser.times.errors:  # the time of an error is no time of a request
        raise RuntimeError(dict(browser.times.errors))
    return made


def rows(times: Times) -> dict[str, dict[str, float]]:
    """Return p50, p95 and p99 of each route."""
    made = {}
    for route, taken in sorted(times.taken.items()):
        cuts = statistics.quantiles(taken, n=100, method="inclusive") if len(taken) > 1 else taken * 99
        made[route] = {"requests": len(taken), **{f"p{n}": round(cuts[n - 1], 1) for n in (50, 95, 99)}}
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--pictures", type=int, default=10_000)
    parser.add_argument("--think", type=float, default=2.0, help="seconds between two things that a person does")
    parser.add_argument("--index", action="store_true", help="index new pictures meanwhile")
    parser.add_argument("--kill", action="store_true", help="kill the server half-way and start it again")
    parser.add_argument("--faults", action="store_true", help="a full disk, killed processes, a standstill, and --kill")
    parser.add_argument("--home", type=Path, default=HOME)
    options = parser.parse_args()
    console = Console()
    home = make_home(options.home.resolve(), options.pictures, console.print)
    server = Server(home)
    host, port = server.host, server.port
    try:
        asyncio.run(crowd(host, port, min(8, options.users), 8, 0.5, 1000))  # warm-up
        spent_on = asyncio.run(costs(host, port, server))
        if options.index:
            asyncio.run(start_indexing(host, port, home / "beside"))
        before, started, spent = server.memory, time.monotonic(), server.spent
        killer = threading.Timer(options.seconds / 2, server.kill_and_restart)
        if options.faults:
            killer = threading.Timer(0, server.suffer, (options.seconds,))
        if options.kill or options.faults:
            killer.start()
        times = asyncio.run(crowd(host, port, options.users, options.seconds, options.think, 1))
        lasted = time.monotonic() - started
        if options.kill or options.faults:
            killer.join()
        spent, after = server.spent - spent, server.memory
        lost = asyncio.run(lost_turns(host, port, times))
    finally:
        server.process.terminate()
        server.process.wait(timeout=60)
    by_route = rows(times)
    bad = {told: count for told, count in times.errors.items() if not _is_try_again(told)}
    total = sum(row["requests"] for route, row in by_route.items() if ":" not in route)
    report = {
        "users": options.users,
        "pictures": options.pictures,
        "seconds": round(lasted, 1),
        "think_seconds": options.think,
        "requests": total,
        "requests_a_second": round(total / lasted, 1),
        "messages_a_second": round(by_route.get("message", {"requests": 0})["requests"] / lasted, 2),
        "errors": dict(times.errors),
        "other_errors_than_try_again": bad,
        "acknowledged_turns": sum(times.turns.values()),
        "lost_turns": lost,
        "memory_mb": {"before": before // 1_000_000, "after": after // 1_000_000},
        "cpu_share_of_one_core": round(spent / lasted, 2),
        "cpu_ms": spent_on,
        "load_average": os.getloadavg()[0],
        "routes": by_route,
    }
    print_report(console, report)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(report, indent=1) + "\n")
    sys.exit(1 if lost or bad or (times.errors and not (options.kill or options.faults)) else 0)


def _is_try_again(told: str) -> bool:
    """Return whether an error says to try again: a status of its kind, or a connection that a killed server cut."""
    what = told.rpartition(": ")[2]
    return not what.isdecimal() or int(what) in _TRY_AGAIN


def print_report(console: Console, report: dict) -> None:
    table = Table(
        title=f"{report['users']} people, {report['pictures']:,} pictures, {report['seconds']} s; milliseconds"
    )
    for column in ("route", "requests", "p50", "p95", "p99"):
        table.add_column(column, justify="left" if column == "route" else "right")
    for route, row in report["routes"].items():
        table.add_row(route, f"{row['requests']:,}", *(f"{row[name]:.1f}" for name in ("p50", "p95", "p99")))
    console.print(table)
    memory = report["memory_mb"]
    console.print(
        f"{report['requests_a_second']} requests/s, {report['messages_a_second']} messages/s, "
        f"errors: {report['errors'] or 'none'}, lost turns: {report['lost_turns']} of "
        f"{report['acknowledged_turns']}, memory {memory['before']} -> {memory['after']} MB, "
        f"{report['cpu_share_of_one_core']} cores busy in the server (load of the machine {report['load_average']:.1f})"
    )
    console.print(f"processor time a request, ms: {report['cpu_ms']}")


if __name__ == "__main__":
    main()
