"""Text that stands in pictures, read by RapidOCR with the models that its package carries (extra ``ocr``)."""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from PIL import Image

from visavis.errors import MissingExtraError
from visavis.pictures.values import writable

#: The attribute that holds the text of a picture.
TEXT = "text"
#: The shorter side that a picture is read at: smaller letters are mostly noise, and larger pictures take longer.
READ_SIZE = 960
#: Lines that the reader is less sure of are left out.
_SURE = 0.6
_LONGEST = 2000
#: Letters and digits of a line at least: fewer are mostly an edge or a stain.
_SHORTEST = 2


def check_installed() -> None:
    """Refuse to read text where the package is missing.

    Raises:
        MissingExtraError: It is.
    """
    if find_spec("rapidocr") is None:
        raise MissingExtraError("Reading text in pictures", "ocr")


def read_text(image: Image.Image) -> str:
    """The text in a picture, a line for each line; empty where there is none."""
    found = _reader()(np.asarray(image.convert("RGB"))[:, :, ::-1])
    if found.txts is None:
        return ""
    lines = [line.strip() for line, sure in zip(found.txts, found.scores, strict=True) if sure >= _SURE]
    return writable("\n".join(line for line in lines if sum(map(str.isalnum, line)) >= _SHORTEST))[:_LONGEST]


@cache
def _reader() -> Any:
    check_installed()
    from rapidocr import RapidOCR

    threads = {"EngineConfig.onnxruntime.intra_op_num_threads": os.cpu_count() or 1}
    return RapidOCR(params={"Global.log_level": "critical", **threads})
