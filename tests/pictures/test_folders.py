"""Folder scans: every picture once, in a stable order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.errors import BadInputError
from visavis.pictures import FailureReason, PictureError, folders, open_picture, walk


def plant(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def found(root: Path, *ignore: str) -> list[str]:
    return [path.relative_to(root).as_posix() for path in walk(root, ignore)]


def test_pictures_in_the_order_of_names_and_nothing_else(tmp_path: Path) -> None:
    plant(
        tmp_path, "b.jpg", "a.PNG", "B/z.webp", "b/deep/er/x.heic", "notes.txt", "captions.jsonl", "noending", "c.tiff"
    )
    assert found(tmp_path) == ["B/z.webp", "a.PNG", "b/deep/er/x.heic", "b.jpg", "c.tiff"]


def test_hidden_and_system_folders_are_passed_over(tmp_path: Path) -> None:
    plant(tmp_path, ".a.jpg", "._b.jpg", ".git/c.jpg", "@eaDir/d.jpg", "__MACOSX/e.jpg", "f.jpg", "g/.h/i.jpg")
    assert found(tmp_path) == ["f.jpg"]


def test_a_hidden_root_is_what_was_asked_for(tmp_path: Path) -> None:
    plant(tmp_path, ".hidden/a.jpg")
    assert found(tmp_path / ".hidden") == ["a.jpg"]


def test_ignore_patterns_are_those_of_git(tmp_path: Path) -> None:
    plant(tmp_path, "a.jpg", "a.png", "keep.png", "raw/b.jpg", "x/raw/c.jpg", "top/d.jpg", "x/top/e.jpg", "x/y/z/f.jpg")
    ignored = ["*.png", "!keep.png", "raw/", "/top", "x/**/f.jpg", "# a remark", ""]
    assert found(tmp_path, *ignored) == ["a.jpg", "keep.png", "x/top/e.jpg"]


def test_ignore_files_hold_below_their_folder_and_the_nearest_wins(tmp_path: Path) -> None:
    plant(tmp_path, "a.gif", "x/a.gif", "x/b.jpg", "x/y/a.gif", "x/y/b.jpg", "z/b.jpg")
    (tmp_path / ".visavisignore").write_text("*.gif\n")
    (tmp_path / "x" / ".visavisignore").write_text("\ufeff!a.gif\n/b.jpg\n!\n", encoding="utf-8")
    assert found(tmp_path) == ["x/a.gif", "x/y/a.gif", "x/y/b.jpg", "z/b.jpg"]


def test_bad_pattern_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="'!'"):
        walk(tmp_path, ["!"])


def test_links_are_followed_once_and_loops_end(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    plant(root, "z/a.jpg", "z/inner/b.jpg")
    plant(outside, "c.jpg")
    (root / "a-loop").symlink_to(root)
    (root / "another-name-of-z").symlink_to(root / "z")
    (root / "z" / "up").symlink_to("..")
    (root / "out").symlink_to(outside)
    (root / "out-again").symlink_to(outside)
    (outside / "back").symlink_to(root)
    (root / "self.jpg").symlink_to("self.jpg")
    (root / "gone.jpg").symlink_to("nowhere.jpg")
    (root / "alias.jpg").symlink_to("z/a.jpg")
    followed = [path.relative_to(root).as_posix() for path in walk(root, follow_links=True)]
    assert followed == ["alias.jpg", "z/a.jpg", "z/inner/b.jpg", "out/c.jpg"]


def test_links_out_of_the_folder_are_left_out_and_named(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "root-of-another"
    plant(root, "a.jpg")
    plant(outside, "private.jpg")
    (root / "folder").symlink_to(outside)
    (root / "link.jpg").symlink_to(outside / "private.jpg")
    (root / "inner.jpg").symlink_to("a.jpg")
    errors: list[PictureError] = []
    assert [path.name for path in walk(root, on_error=errors.append)] == ["a.jpg", "inner.jpg"]
    assert sorted((Path(error.name).name, error.reason.value) for error in errors) == [
        ("folder", "outside"),
        ("link.jpg", "outside"),
    ]
    by_link = tmp_path / "by-link"
    by_link.symlink_to(root)
    assert len(list(walk(by_link))) == 2, "the root itself may be a link"


def test_a_web_of_links_is_walked_in_time(tmp_path: Path) -> None:
    folders = [tmp_path / f"f{i}" for i in range(30)]
    for folder in folders:
        plant(folder, "a.jpg")
        for other in folders:
            (folder / f"to-{other.name}").symlink_to(other)
    assert len(found(tmp_path)) == 30


def test_unreadable_folder_is_told_and_the_walk_goes_on(tmp_path: Path, monkeypatch) -> None:
    plant(tmp_path, "a/1.jpg", "b/2.jpg", "c/3.jpg")
    true_scandir = os.scandir

    def scandir(path: str) -> Iterator[os.DirEntry[str]]:
        if path.endswith("/b"):
            raise PermissionError(13, "Permission denied", path)
        return true_scandir(path)

    monkeypatch.setattr(os, "scandir", scandir)  # a real one would let the superuser in
    errors: list[PictureError] = []
    paths = list(walk(tmp_path, on_error=errors.append))
    assert [path.name for path in paths] == ["1.jpg", "3.jpg"]
    assert [(error.reason, error.name) for error in errors] == [(FailureReason.UNREADABLE, str(tmp_path / "b"))]


def test_unreadable_folder_without_a_listener_is_logged(tmp_path: Path, monkeypatch, caplog) -> None:
    def scandir(path: str) -> Iterator[os.DirEntry[str]]:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert list(walk(tmp_path)) == []
    assert "permission denied" in caplog.text


def test_a_missing_root_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(PictureError) as caught:
        walk(tmp_path / "nowhere")
    assert caught.value.reason is FailureReason.MISSING


def test_a_file_as_root_is_found_whatever_its_name(tmp_path: Path) -> None:
    plant(tmp_path, "picture.bin")
    assert list(walk(tmp_path / "picture.bin")) == [tmp_path / "picture.bin"]


def test_broken_files_do_not_end_a_walk(tmp_path: Path, scene, encode) -> None:
    whole = encode(scene, "JPEG")
    for name, data in {"a.jpg": whole, "b.jpg": b"", "c.png": b"text", "d.jpg": whole[:300], "e.jpg": whole}.items():
        (tmp_path / name).write_bytes(data)
    seen: dict[str, str] = {}
    for path in walk(tmp_path):
        try:
            seen[path.name] = open_picture(path).format
        except PictureError as error:
            seen[path.name] = error.reason
    assert seen == {"a.jpg": "JPEG", "b.jpg": "empty", "c.png": "mislabelled", "d.jpg": "truncated", "e.jpg": "JPEG"}


def test_deep_folders(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * 400)
    plant(deep, "a.jpg")
    assert len(list(walk(tmp_path))) == 1


@settings(max_examples=50, deadline=None)
@given(names=st.sets(st.text("abcXYZ019-_é", min_size=1, max_size=6), max_size=30), part=st.integers(1, 8))
def test_reading_in_parts_changes_nothing(names, part, tmp_path_factory) -> None:
    root = tmp_path_factory.mktemp("walk")
    plant(root, *(f"{name}.jpg" for name in names))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folders, "NAMES_AT_ONCE", part)
        assert found(root) == sorted(f"{name}.jpg" for name in names)


def test_a_large_folder_is_streamed(tmp_path: Path, monkeypatch) -> None:
    plant(tmp_path, *(f"{number:05}.jpg" for number in range(500)))
    monkeypatch.setattr(folders, "NAMES_AT_ONCE", 10)
    scans: list[str] = []
    true_scandir = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: scans.append(path) or true_scandir(path))
    paths = walk(tmp_path)
    assert [next(paths).name for _ in range(10)][-1] == "00009.jpg"
    assert len(scans) == 1  # the rest has not been looked for yet
