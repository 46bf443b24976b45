"""Pictures into files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from visavis.editing.files import encoded
from visavis.errors import BadInputError


@pytest.mark.parametrize("suffix", ["jpg", "webp", "gif", "avif"])
def test_a_picture_longer_than_a_format_can_count_is_told(suffix: str):
    with pytest.raises(BadInputError, match="cannot be written"):
        encoded(Image.new("RGB", (70_000, 1)), Path(f"wide.{suffix}"))
