"""The built app in the package is the one that the sources make."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
STATIC = ROOT / "src" / "visavis" / "server" / "static"


def sources() -> list[Path]:
    """The same list as in web/tooling/sources.ts, which is read here so that the two cannot drift apart."""
    listed = re.search(r"SOURCES = \[(.*?)\]", (WEB / "tooling" / "sources.ts").read_text(encoding="utf-8"), re.DOTALL)
    assert listed is not None
    paths = [WEB / name for name in re.findall(r'"([^"]+)"', listed[1])]
    return [file for path in paths for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()]


def test_the_build_is_current() -> None:
    digest = hashlib.sha256()
    for name, file in sorted((file.relative_to(WEB).as_posix(), file) for file in sources()):
        digest.update(f"{name}\0".encode() + file.read_bytes() + b"\0")
    built = json.loads((STATIC / "build.json").read_text(encoding="utf-8"))
    assert built["sources"] == digest.hexdigest(), "the sources changed since the last build: run `make web`"


def test_the_page_asks_nobody_else_for_anything() -> None:
    for file in STATIC.rglob("*"):
        if file.suffix in (".js", ".css", ".html"):
            addresses = set(re.findall(r"https?://[\w.-]+", file.read_text(encoding="utf-8")))
            assert addresses <= {"http://www.w3.org", "https://www.w3.org"}, file.name


def test_the_page_keeps_to_a_strict_policy() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=", page)


def test_the_page_is_small() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    files = list(STATIC.rglob("*.js"))
    first = [file for file in files if file.name in page]
    assert 0 < sum(file.stat().st_size for file in first) < 150_000
    # What the first pictures do not need is loaded later.
    later = {file.name.partition("-")[0] for file in files if file not in first}
    assert {"Home", "Large", "MapView", "Study", "coasts"} <= later


def test_the_lock_names_no_registry() -> None:
    packages = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert not [name for name, package in packages.items() if "://" in package.get("resolved", "")]
