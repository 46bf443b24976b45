"""Print figures about the modules of the package: how many, how long, and names that are defined more than once."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from statistics import median

PACKAGE = Path(__file__).parents[1] / "src" / "visavis"
#: A module below the first number may be too little for a concept, one above the second holds more than one.
SHORT, LONG = 60, 400


def modules() -> dict[Path, str]:
    """Return the source of every module, by its path; packages' ``__init__`` do not count."""
    paths = sorted(path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
    return {path.relative_to(PACKAGE): path.read_text(encoding="utf-8") for path in paths}


def repeated_classes(sources: dict[Path, str]) -> dict[str, list[Path]]:
    """Return the names of public classes that several modules define."""
    found: defaultdict[str, list[Path]] = defaultdict(list)
    for path, source in sources.items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > 1}


def main() -> None:
    """Print the figures."""
    sources = modules()
    lengths = {path: len(source.splitlines()) for path, source in sources.items()}
    print(f"modules: {len(sources)}, median {median(lengths.values()):.0f} lines")
    print(f"under {SHORT} lines: {sum(length < SHORT for length in lengths.values())}")
    print(f"over {LONG} lines: {', '.join(str(path) for path, length in lengths.items() if length > LONG) or 'none'}")
    print(f"named by a gerund: {', '.join(path.stem for path in sources if path.stem.endswith('ing')) or 'none'}")
    for name, paths in repeated_classes(sources).items():
        print(f"class {name}: {', '.join(map(str, paths))}")


if __name__ == "__main__":
    main()
