"""Ids and details of a picture."""

from __future__ import annotations

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from visavis.pictures import Details, Picture, content_id


@given(st.binary(max_size=300))
def test_id_is_a_uuid_of_the_content_alone(data: bytes) -> None:
    id = content_id(data)
    assert UUID(id).hex == id
    assert content_id(bytearray(data)) == id


@given(st.binary(min_size=1, max_size=300), st.data())
def test_one_changed_bit_changes_the_id(data: bytes, draw: st.DataObject) -> None:
    at = draw.draw(st.integers(0, len(data) * 8 - 1))
    changed = bytearray(data)
    changed[at // 8] ^= 1 << (at % 8)
    assert content_id(changed) != content_id(data)


def test_known_id_never_changes_between_versions() -> None:
    assert content_id(b"visavis") == "62b51cba3ce1f4b7ce1c67a9ac694079"


def test_details_over_others_win_and_keep_the_rest() -> None:
    near = Details(("near", "both"), {"colour": "red"})
    far = Details(("both", "far"), {"colour": "blue", "price": 3})
    assert near.over(far) == Details(("near", "both", "far"), {"colour": "red", "price": 3})
    assert Details().over(far) == far
    assert far.over(Details()) == far
    assert not Details()


def test_words_of_a_picture() -> None:
    picture = Picture("0" * 32, ("b.jpg",), 4, 3, 10, "JPEG", Details(("a dog",), {"title": "Rex"}))
    assert (picture.path, picture.caption, picture.title) == ("b.jpg", "a dog", "Rex")
    bare = Picture("0" * 32, (), 4, 3, 10, "JPEG")
    assert (bare.path, bare.caption, bare.title) == ("", "", "")
