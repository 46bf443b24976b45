"""Import open_clip where torch is a CPU build and torchvision, which comes in one build only, expects CUDA.

torchvision registers shapes of its own operators at import and fails where its library could not be loaded. open_clip
uses none of these operators, so it is enough that they have names.
"""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

_KEEP = []  # torch forgets operators when the library that defined them is collected


def open_clip_or_skip() -> ModuleType:
    """The module open_clip, or a skip with the reason."""
    torch = pytest.importorskip("torch", reason="torch is not installed (make test-train)")
    if importlib.util.find_spec("open_clip") is None:
        pytest.skip("open_clip is not installed (extra 'hub')", allow_module_level=True)
    try:
        import torchvision  # noqa: F401
    except RuntimeError:
        _name_operators(torch)
    return importlib.import_module("open_clip")


def _name_operators(torch: ModuleType) -> None:
    spec = importlib.util.find_spec("torchvision")
    assert spec
    assert spec.origin
    source = (Path(spec.origin).parent / "_meta_registrations.py").read_text(encoding="utf-8")
    names = set(re.findall(r'register_meta\("(\w+)"\)', source)) | set(re.findall(r"torchvision::(\w+)", source))
    library = torch.library.Library("torchvision", "DEF")
    for name in sorted(names):
        library.define(f"{name}(Tensor x) -> Tensor")
    _KEEP.append(library)
