"""Build the wheel, check it, install it into an empty environment and use it there as a person would.

python tools/wheel.py                                         # with this Python
python tools/wheel.py --python python3.12 --python python3.13 # and with others
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_BYTES = 100_000_000
#: What must be inside: without one of these the package installs and then fails in somebody's hands.
NEEDED = ("encoders/weights/image.onnx", "encoders/weights/words.npy", "language/weights/encoder.onnx", "py.typed")
FORBIDDEN = ("tests/", "corpus/", "benchmarks/", "node_modules/")
#: Draws and indexes fifty pictures, plays a conversation, and ends with an error unless everything was found.
DEMO = ("demo", "--check", "--json")


def run(*command: str | Path, **options: object) -> str:
    """Run a command and return what it printed; its error output stays on the screen."""
    print("+", *command, flush=True)
    done = subprocess.run([str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE, **options)  # type: ignore[call-overload]
    return str(done.stdout)


def build(folder: Path) -> Path:
    """Build the wheel in an environment of its own and check its metadata."""
    tools = folder / "tools"
    venv.create(tools, with_pip=True)
    run(tools / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "build", "twine")
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    run(tools / "bin" / "python", "-m", "build", "--wheel", "--outdir", ROOT / "dist", ROOT)
    wheel = next((ROOT / "dist").glob("visavis-*.whl"))
    run(tools / "bin" / "python", "-m", "twine", "check", "--strict", wheel)
    return wheel


def check_contents(wheel: Path) -> None:
    """Compare size and files with what a wheel of ours must and must not have."""
    size = wheel.stat().st_size
    if size >= MOST_BYTES:
        sys.exit(f"{wheel.name} has {size / 1e6:.1f} MB; the limit is {MOST_BYTES / 1e6:.0f}.")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    missing = [name for name in NEEDED if f"visavis/{name}" not in names]
    if not any(name.startswith("visavis/server/") and name.endswith("index.html") for name in names):
        missing.append("the web app (make web)")
    foreign = [name for name in names if name.startswith(FORBIDDEN)]
    if missing or foreign:
        sys.exit(f"{wheel.name}: missing {missing}, does not belong there: {foreign[:5]}")
    print(f"{wheel.name}: {size / 1e6:.1f} MB, {len(names)} files")


def use(wheel: Path, python: str, folder: Path) -> None:
    """Install the wheel into an empty environment, then play the demo and serve a folder."""
    place = folder / Path(python).name
    run(python, "-m", "venv", place)
    run(place / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel)
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder / "home"), "VISAVIS_HOME": str(place / "home")}
    options = {"cwd": folder, "env": environment}
    visavis = place / "bin" / "visavis"
    print(run(visavis, "--version", **options).strip())
    run(visavis, *DEMO, **options)
    loaded = "import sys, visavis, visavis.server.app, visavis.assistant; sys.exit('torch' in sys.modules)"
    run(place / "bin" / "python", "-c", loaded, **options)
    serve(visavis, place / "home" / "demo" / "pictures", options)


def serve(visavis: Path, pictures: Path, options: dict[str, object]) -> None:
    """Serve a folder on a free port of 127.0.0.1 and fetch its page."""
    command = [str(visavis), "serve", str(pictures), "--port", "0", "--no-open"]
    print("+", *command, flush=True)
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **options)  # type: ignore[call-overload]
    try:
        address = server.stdout.readline().strip()
        with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310 - our own server
            if answer.status != 200 or b"<html" not in answer.read().lower():
                sys.exit(f"{address} did not answer with the page.")
    finally:
        server.terminate()
        server.wait(60)


def main() -> None:
    """Build once, then try every Python that was named."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--python", action="append", help="an interpreter to try it with; may be repeated")
    chosen = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        check_contents(wheel)
        for python in chosen.python or [sys.executable]:
            use(wheel, python, folder)
    print(f"{wheel} works.")


if __name__ == "__main__":
    main()
