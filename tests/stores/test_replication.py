"""Replication between kinds of stores and back, interrupted and resumed, with checksums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_openers import open_edge, open_local
from store_support import DIMENSION, KINDS, point_id, some_points

from visavis.errors import BadInputError, StorageError
from visavis.stores.base import Store, StoredPoint, StoreOptions
from visavis.stores.edge import EdgeStore
from visavis.stores.replication import Checksum, checksum_of, coarser, copy_store, digest

POINTS = some_points(130, seed=4)


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Store]:
    with EdgeStore(tmp_path / "source", dimension=DIMENSION) as store:  # half precision
        for field, kind in KINDS.items():
            store.index_field(field, kind)
        store.upsert(POINTS)
        yield store


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Store]:
    with open_local(tmp_path / "target") as store:
        yield store


def test_there_and_back(source: Store, target: Store, tmp_path: Path):
    seen: list[tuple[int, int]] = []
    there = copy_store(source, target, batch=50, on_progress=lambda *progress: seen.append(progress))
    assert (there.count, there.written, there.removed) == (130, 130, 0)
    assert seen == [(50, 130), (100, 130), (130, 130)]
    assert target.fields() == source.fields()
    with open_edge(tmp_path / "back") as home:  # single precision: takes what half precision gives
        back = copy_store(target, home, batch=7)
        assert back.checksum == there.checksum
        for one, other in zip(source.scroll(), home.scroll(), strict=True):
            for mine, copied in zip(one, other, strict=True):
                assert (mine.id, mine.payload) == (copied.id, copied.payload)
                np.testing.assert_array_equal(mine.whole, copied.whole)


def test_from_single_to_half_precision(tmp_path: Path):
    with open_edge(tmp_path / "exact") as exact, EdgeStore(tmp_path / "half", dimension=DIMENSION) as half:
        exact.upsert(POINTS)
        assert copy_store(exact, half).count == 130
        assert copy_store(exact, half).written == 0


class Breaks(EdgeStore):
    """A target that fails after some writes, like a connection."""

    writes_left = 2

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        if self.writes_left == 0:
            raise StorageError("gone")
        self.writes_left -= 1
        super().upsert(points)


def test_a_copy_that_was_cut_short_goes_on_where_it_stood(source: Store, tmp_path: Path):
    with Breaks(tmp_path / "half", dimension=DIMENSION) as target:
        with pytest.raises(StorageError, match="gone"):
            copy_store(source, target, batch=20)
        assert target.count() == 40
    with EdgeStore(tmp_path / "half") as target:
        report = copy_store(source, target, batch=20)
        assert (report.count, report.written) == (130, 90)
        assert copy_store(source, target).written == 0


def test_what_differs_is_written_again(source: Store, target: Store):
    copy_store(source, target)
    target.set_payload(POINTS[3].id, {"colour": "wrong"})
    target.delete([POINTS[5].id])
    moved = target.vectors([POINTS[8].id])[POINTS[8].id][::-1].copy()
    target.upsert([replace(POINTS[8], whole=moved)])
    assert copy_store(source, target, batch=10).written == 3


@pytest.mark.parametrize("other", ["0" * 32, "f" * 32, point_id(5000)])
def test_a_target_with_other_pictures_is_refused_unless_told_otherwise(source: Store, target: Store, other: str):
    target.upsert([StoredPoint(other, POINTS[0].whole)])
    with pytest.raises(BadInputError, match=f"such as {other}"):
        copy_store(source, target)
    assert target.payloads([other]) == {other: {}}
    report = copy_store(source, target, remove_others=True)
    assert (report.count, report.removed) == (130, 1)


def test_other_dimensions_are_refused(source: Store, tmp_path: Path):
    with EdgeStore(tmp_path / "other", dimension=8) as target, pytest.raises(BadInputError, match="vectors of 8"):
        copy_store(source, target)


class Forgets(EdgeStore):
    """A target that silently loses a point."""

    def upsert(self, points: Sequence[StoredPoint]) -> None:
        super().upsert(points[1:])


def test_a_copy_that_did_not_arrive_whole_is_noticed(source: Store, tmp_path: Path):
    with Forgets(tmp_path / "bad", dimension=DIMENSION) as target, pytest.raises(StorageError, match="differs from"):
        copy_store(source, target)


def test_an_empty_store_can_be_copied(tmp_path: Path, target: Store):
    with EdgeStore(tmp_path / "empty", dimension=DIMENSION) as empty:
        assert copy_store(empty, target).count == 0


# -- checksums -------------------------------------------------------------------------------------


@given(st.permutations(range(12)))
def test_order_does_not_matter(order: list[int]):
    digests = [digest(point, "float32") for point in POINTS[:12]]
    assert Checksum().plus(digests[at] for at in order) == Checksum().plus(digests)


def test_everything_matters():
    point = POINTS[3]
    assert point.regions is not None
    nudged = point.whole.copy()
    nudged[0] += 0.01
    others = [
        replace(point, id=POINTS[4].id),
        replace(point, whole=nudged),
        replace(point, regions=None),
        replace(point, regions=point.regions[::-1].copy()),
        replace(point, payload={**point.payload, "more": 1}),
        replace(point, payload={}),
    ]
    assert len({digest(each, "float16") for each in [point, *others]}) == 7


def test_what_means_the_same_has_the_same_digest():
    point = StoredPoint(point_id(1), np.array([0.0, 1.0], np.float32), payload={"a": 50, "b": ["x"], "c": None})
    same = StoredPoint(point_id(1), np.array([-0.0, 1.0], np.float32), payload={"b": ("x",), "a": 50.0})
    assert digest(point, "float32") == digest(same, "float32")
    nearly = StoredPoint(point_id(1), np.array([0.0, 1.0 + 1e-6], np.float32), payload={"a": 50, "b": ["x"]})
    assert digest(point, "float16") == digest(nearly, "float16")
    assert digest(point, "float32") != digest(nearly, "float32")


def test_a_store_has_a_checksum_of_its_own_precision(source: Store):
    assert checksum_of(source, batch=7) == checksum_of(source)
    assert checksum_of(source).count == 130
    assert str(checksum_of(source)).startswith("130:")
    assert coarser("float32", "float16") == "float16"
    assert coarser("float32", "float32") == "float32"
    assert StoreOptions().precision == "float16"
