"""Regions in files of their own: reads return what was written, after any sequence of operations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from store_support import point_id, unit

from visavis.errors import StorageError
from visavis.stores.region_file import DATA, PLACES, RegionFile, quantised

RANDOM = np.random.default_rng(3)
DIMENSION = 32


def _some(number: int, each: int = 36) -> dict[str, np.ndarray]:
    return {point_id(place): unit(RANDOM, each, DIMENSION) for place in range(number)}


@pytest.mark.parametrize(("precision", "tolerance"), [("float16", 0.004), ("float32", 0.0)])
def test_what_was_written_comes_back(tmp_path: Path, precision, tolerance: float):
    regions = _some(50)
    file = RegionFile(tmp_path, DIMENSION, precision)
    file.write(regions)
    file.close()
    again = RegionFile(tmp_path, DIMENSION, precision)
    found = again.read([*regions, point_id(999)])
    assert set(found) == set(regions)
    for id, vectors in regions.items():
        np.testing.assert_allclose(found[id], vectors, atol=tolerance)


@pytest.mark.parametrize("precision", ["float16", "float32"])
@pytest.mark.parametrize("vectors", [2, 7])
def test_the_best_regions_are_those_of_the_vectors_that_are_read(tmp_path: Path, precision, vectors: int):
    file = RegionFile(tmp_path, DIMENSION, precision)
    file.write({**_some(300), point_id(400): unit(RANDOM, 3, DIMENSION)})
    wanted = unit(RANDOM, vectors, DIMENSION)
    ids = [point_id(400), *(point_id(place) for place in range(299, -1, -1)), point_id(999)]
    found = file.best(ids, wanted)
    assert set(found) == set(ids[:-1])
    for id, regions in file.read(ids).items():
        assert found[id] == pytest.approx(float((regions @ wanted.T).max(axis=0).mean()), abs=1e-6)
    assert file.best([point_id(999)], wanted) == {}


@pytest.mark.parametrize("precision", ["float16", "float32"])
def test_what_was_scored_is_read_as_it_is_now(tmp_path: Path, precision):
    file = RegionFile(tmp_path, DIMENSION, precision)
    file.write(_some(30))
    ids, wanted = [point_id(place) for place in (7, 3, 11)], unit(RANDOM, 2, DIMENSION)
    before = file.read(ids)
    file.best([point_id(place) for place in range(30)], wanted)
    scored = file.read([*ids, ids[0]])
    assert list(scored) == ids
    assert all((scored[id] == before[id]).all() for id in ids)
    file.write({ids[1]: -before[ids[1]]})
    assert (file.read(ids)[ids[1]] == -before[ids[1]]).all()
    file.best(ids, wanted)
    file.remove(ids[:1])
    assert set(file.read(ids)) == set(ids[1:])
    file.best(ids, wanted)
    file.close()
    with pytest.raises(StorageError):
        file.read(ids[1:])


def test_a_picture_takes_one_byte_a_number_and_a_scale_a_vector(tmp_path: Path):
    file = RegionFile(tmp_path, DIMENSION, "float16")
    file.write(_some(10))
    file.close()
    assert (tmp_path / DATA).stat().st_size == 10 * 36 * (DIMENSION + 4)


def test_written_again_it_keeps_its_place_and_a_free_place_is_used_again(tmp_path: Path):
    file = RegionFile(tmp_path, DIMENSION, "float32")
    first = _some(5)
    file.write(first)
    size = (tmp_path / DATA).stat().st_size
    changed = {id: -vectors for id, vectors in first.items()}
    file.write(changed)
    gone, *kept = first
    file.remove([gone, point_id(999)])
    file.close()
    again = RegionFile(tmp_path, DIMENSION, "float32")
    new = {point_id(77): unit(RANDOM, 36, DIMENSION)}
    again.write(new)
    assert (tmp_path / DATA).stat().st_size == size
    assert set(again.read([*first, point_id(77)])) == {*kept, point_id(77)}
    np.testing.assert_array_equal(again.read([kept[0]])[kept[0]], changed[kept[0]])


def test_another_number_of_regions_moves_the_picture(tmp_path: Path):
    file = RegionFile(tmp_path, DIMENSION, "float32")
    file.write(_some(3, each=9))
    more = _some(1, each=36)
    file.write(more)
    assert file.read(list(more))[point_id(0)].shape == (36, DIMENSION)
    assert file.read([point_id(1)])[point_id(1)].shape == (9, DIMENSION)


def test_an_entry_without_its_block_or_half_an_entry_is_no_picture(tmp_path: Path):
    file = RegionFile(tmp_path, DIMENSION, "float16")
    regions = _some(4)
    file.write(regions)
    file.close()
    with (tmp_path / DATA).open("r+b") as data:
        data.truncate((tmp_path / DATA).stat().st_size - 10)
    with (tmp_path / PLACES).open("ab") as places:
        places.write(b"half")
    again = RegionFile(tmp_path, DIMENSION, "float16")
    assert set(again.read(list(regions))) == set(list(regions)[:3])
    again.write(regions)
    assert set(again.read(list(regions))) == set(regions)


def test_quantising_what_was_quantised_changes_nothing():
    vectors = unit(RANDOM, 100, DIMENSION)
    codes, scale = quantised(vectors)
    for kept in (codes * scale, (codes * scale).astype(np.float16).astype(np.float32)):
        np.testing.assert_array_equal(quantised(kept)[0], codes)
