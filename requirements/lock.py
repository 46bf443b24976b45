"""Write the lock files: resolve each set of extras in an empty environment and freeze what came out."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Lock file -> the extras it covers. `train` has the test tools of its own: torch stays out of `dev`.
LOCKS = {"dev": "dev", "train": "dev,train,hub", "bench": "bench", "ray": "ray"}


def lock(name: str, extras: str) -> None:
    """Install the extras into a fresh environment and write down every version."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"{ROOT}[{extras}]"], check=True)
        freeze = [python, "-m", "pip", "list", "--format=freeze", "--exclude", "visavis", "--exclude", "pip"]
        packages = subprocess.run(freeze, check=True, capture_output=True, text=True).stdout
    kept = [line.split("+")[0] for line in packages.splitlines() if not line.startswith("setuptools==")]
    header = f"# Exact versions for visavis[{extras}]; written by `make lock`.\n"
    (ROOT / "requirements" / f"{name}.lock").write_text(header + "\n".join(kept) + "\n")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or LOCKS:
        lock(chosen, LOCKS[chosen])
