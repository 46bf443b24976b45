"""Write the lock files: for each set of extras the exact version and the hashes of everything it needs.

The resolver is `uv`, fetched into an environment of its own. Versions that are locked already stay, unless `--upgrade`
is given. torch is left out: its build differs by machine, so the Makefile installs it apart.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Lock file -> the extras it covers. `train` has the test tools of its own: torch stays out of `dev`.
LOCKS = {
    "dev": ("dev",),
    "train": ("dev", "train", "hub"),
    "bench": ("bench",),
    "ray": ("ray",),
    "ocr": ("ocr",),
    "image": ("qdrant", "postgres", "parquet", "heic", "llm"),
}
#: A marker that no machine has, so that neither torch nor what its build needs is resolved.
WITHOUT_TORCH = 'torch; sys_platform == "none"\n'


def lock(resolver: Path, name: str, extras: tuple[str, ...], *, upgrade: bool) -> None:
    """Resolve the extras for every platform and Python 3.11 or newer, and write versions and hashes."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as override:
        override.write(WITHOUT_TORCH)
        override.flush()
        command = [str(resolver), "pip", "compile", "pyproject.toml", "--quiet", "--universal", "--generate-hashes"]
        command += ["--python-version", "3.11", "--no-annotate", "--no-emit-index-url", "--no-emit-package", "torch"]
        command += ["--custom-compile-command", "make lock", "--override", override.name]
        command += [option for extra in extras for option in ("--extra", extra)]
        command += ["--output-file", f"requirements/{name}.lock", *(["--upgrade"] if upgrade else [])]
        subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)


def main() -> None:
    """Write the named lock files, or all."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(LOCKS)}; all when none is named")
    arguments.add_argument("--upgrade", action="store_true", help="take the newest versions that are allowed")
    chosen = arguments.parse_args()
    if unknown := set(chosen.names) - set(LOCKS):
        arguments.error(f"no such lock: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        subprocess.run([Path(folder) / "bin" / "python", "-m", "pip", "install", "--quiet", "uv>=0.9"], check=True)
        for name in chosen.names or LOCKS:
            lock(Path(folder) / "bin" / "uv", name, LOCKS[name], upgrade=chosen.upgrade)


if __name__ == "__main__":
    main()
