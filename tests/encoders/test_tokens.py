"""The word table: rows of bytes with a scale each, read as they are needed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from visavis.encoders.tokens import read_word_table
from visavis.errors import StorageError


def test_rows_come_back_by_their_scales(tmp_path: Path) -> None:
    rows = np.arange(-6, 6, dtype=np.int8).reshape(3, 4)
    scales = np.array([0.5, 1, 2], "<f4")
    np.save(tmp_path / "words.npy", np.concatenate([rows, scales[:, None].view(np.int8)], axis=1))
    table = read_word_table(tmp_path / "words.npy")
    assert len(table) == 3
    np.testing.assert_array_equal(table.vectors(np.array([[2, 0]])), (rows * scales[:, None])[[[2, 0]]])


def test_the_table_that_ships_has_every_piece() -> None:
    table = read_word_table()
    assert table.bytes.shape == (30522, 384)
    assert (table.scale > 0).all()


@pytest.mark.parametrize("content", [b"", b"no table", None])
def test_a_damaged_table_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "words.npy"
    if content is None:
        np.save(path, np.zeros((3, 4), np.float32))
    else:
        path.write_bytes(content)
    with pytest.raises(StorageError):
        read_word_table(path)
