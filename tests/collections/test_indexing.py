"""Repeated indexing of a folder: only changed files are read, and every change is detected."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from drawing import draw
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from memory_store import MemoryStore
from tiny_encoder import COLOURS, TinyEncoder

from visavis.api import Collection, open_collection
from visavis.collections.indexing.indexer import Options
from visavis.collections.indexing.items import IndexReport, Outcome
from visavis.errors import BadInputError, NotFoundError
from visavis.pictures.picture import Origin


class CountingEncoder(TinyEncoder):
    """Counts the pictures that it encodes."""

    def __init__(self) -> None:
        self.seen = 0
        self.batches: list[int] = []

    def encode_pictures(self, images):
        self.seen += len(images)
        self.batches.append(len(images))
        return super().encode_pictures(images)


@pytest.fixture
def counting() -> CountingEncoder:
    return CountingEncoder()


@pytest.fixture
def collection(home: Path, counting: CountingEncoder) -> Iterator[Collection]:
    with open_collection("photos", home, MemoryStore(), encoder=counting, create=True) as opened:
        yield opened


def outcomes(report: IndexReport) -> dict[str, int]:
    told = {outcome.value: count for outcome, count in report.outcomes.items() if count}
    return {**told, "missing": report.missing} if report.missing else told


def names(collection: Collection, text: str, **more) -> list[str]:
    return [Path(result.picture.path).name for result in collection.search(text, **more).results]


def test_a_second_run_reads_nothing(collection: Collection, pictures: Path, counting: CountingEncoder):
    assert outcomes(collection.index(pictures)) == {"added": len(COLOURS)}
    assert outcomes(collection.index(pictures)) == {"unchanged": len(COLOURS)}
    assert counting.seen == len(COLOURS)
    assert len(collection) == len(COLOURS)


def test_a_folder_by_another_way_is_the_same_folder(
    collection: Collection, pictures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    collection.index(pictures)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    again = collection.index(Path("..") / pictures.relative_to(tmp_path))
    assert outcomes(again) == {"unchanged": len(COLOURS)}


def test_pictures_go_to_the_encoder_in_batches(collection: Collection, tmp_path: Path, counting: CountingEncoder):
    for number in range(40):
        draw(tmp_path / "many" / f"{number}.png", (number, 0, 0))
    collection.index(tmp_path / "many")
    assert max(counting.batches) == 16
    assert len(counting.batches) == 3


def test_a_moved_file_is_recognised(collection: Collection, pictures: Path, counting: CountingEncoder):
    collection.index(pictures)
    (pictures / "sub").mkdir()
    (pictures / "red.png").rename(pictures / "sub" / "rouge.png")
    assert outcomes(collection.index(pictures)) == {"moved": 1, "unchanged": len(COLOURS) - 1}
    assert counting.seen == len(COLOURS), "a moved picture was encoded again"
    assert names(collection, "red", k=1) == ["rouge.png"]


def test_a_copy_is_a_duplicate_and_folded(collection: Collection, pictures: Path, counting: CountingEncoder):
    collection.index(pictures)
    shutil.copy(pictures / "red.png", pictures / "again.png")
    assert outcomes(collection.index(pictures))["duplicate"] == 1
    found = collection.search("red", k=3).results
    assert [Path(path).name for path in found[0].picture.paths] == ["again.png", "red.png"]
    assert len({result.picture.id for result in found}) == 3
    (pictures / "red.png").unlink()
    assert outcomes(collection.index(pictures))["missing"] == 1
    assert names(collection, "red", k=1) == ["again.png"]
    assert counting.seen == len(COLOURS)


def test_a_deleted_file_is_marked_and_comes_back_without_being_encoded(
    collection: Collection, pictures: Path, counting: CountingEncoder
):
    collection.index(pictures)
    kept = (pictures / "red.png").read_bytes()
    id = collection.search("red", k=1).results[0].picture.id
    (pictures / "red.png").unlink()
    assert outcomes(collection.index(pictures))["missing"] == 1
    assert "red.png" not in names(collection, "red", k=12)
    assert collection.picture(id).missing
    (pictures / "red.png").write_bytes(kept)
    assert outcomes(collection.index(pictures))["returned"] == 1
    assert names(collection, "red", k=1) == ["red.png"]
    assert counting.seen == len(COLOURS)


def test_a_file_edited_in_place_shows_its_new_content(collection: Collection, pictures: Path):
    (pictures / "red.png").rename(pictures / "one.png")  # the words of a file's name count as well
    collection.index(pictures)
    draw(pictures / "one.png", (1, 250, 3))
    assert outcomes(collection.index(pictures))["changed"] == 1
    assert set(names(collection, "green", k=2)) == {"green.png", "one.png"}
    assert "one.png" not in names(collection, "red", k=1)
    assert collection.catalogue.counts().missing == 1


def test_touching_a_file_changes_nothing(collection: Collection, pictures: Path, counting: CountingEncoder):
    collection.index(pictures)
    os.utime(pictures / "red.png", (1, 1))
    assert outcomes(collection.index(pictures)) == {"unchanged": len(COLOURS)}
    assert counting.seen == len(COLOURS)


def test_new_words_are_taken_over_without_encoding(collection: Collection, pictures: Path, counting: CountingEncoder):
    collection.index(pictures)
    (pictures / "words.csv").write_text("file,caption,price\nred.png,the reddest,3.5\n")
    assert outcomes(collection.index(pictures))["updated"] == 1
    result = collection.search("red", k=1, filter="price < 4").results[0]
    assert result.picture.caption == "the reddest"
    (pictures / "words.csv").unlink()
    assert outcomes(collection.index(pictures))["updated"] == 1
    assert collection.search("red", k=1).results[0].picture.caption == ""
    assert counting.seen == len(COLOURS)


def test_a_bad_file_is_named_kept_in_mind_and_tried_again_when_it_changes(collection: Collection, pictures: Path):
    (pictures / "bad.jpg").write_bytes(b"nonsense")
    report = collection.index(pictures)
    assert report.outcomes[Outcome.FAILED] == 1
    assert "bad.jpg" in report.failures[0][1]
    again = collection.index(pictures)
    assert (again.outcomes[Outcome.FAILED], again.failures) == (1, []), "an unchanged bad file was read again"
    assert collection.index(pictures, options=Options(retry_failed=True)).failures
    draw(pictures / "bad.jpg", "red", (64, 64))
    assert collection.index(pictures).outcomes[Outcome.ADDED] == 1
    assert collection.catalogue.failures() == []


def test_a_failed_file_that_is_gone_is_forgotten(collection: Collection, pictures: Path):
    (pictures / "bad.jpg").write_bytes(b"nonsense")
    collection.index(pictures)
    (pictures / "bad.jpg").unlink()
    collection.index(pictures)
    assert collection.catalogue.failures() == []


def test_a_good_file_that_turns_bad_is_no_longer_found(collection: Collection, pictures: Path):
    collection.index(pictures)
    (pictures / "red.png").write_bytes(b"nonsense")
    assert collection.index(pictures).outcomes[Outcome.FAILED] == 1
    assert "red.png" not in names(collection, "red", k=12)


def test_a_folder_that_is_not_there_marks_nothing_missing(collection: Collection, pictures: Path):
    collection.index(pictures)
    pictures.rename(pictures.with_name("unplugged"))
    with pytest.raises(NotFoundError, match="nothing was changed"):
        collection.index(pictures)
    assert collection.catalogue.counts().missing == 0


def test_one_folder_does_not_touch_the_files_of_another(collection: Collection, pictures: Path, tmp_path: Path):
    collection.index(pictures)
    other = tmp_path / "other"
    draw(other / "x.png", (9, 9, 9))
    assert outcomes(collection.index(other)) == {"added": 1}
    assert collection.catalogue.counts().missing == 0
    single = draw(tmp_path / "single.png", (7, 7, 7))
    assert outcomes(collection.index(single)) == {"added": 1}


def test_ignored_files_are_passed_over(collection: Collection, pictures: Path):
    report = collection.index(pictures, ignore=["b*.png"])
    assert report.files == len([name for name in COLOURS if not name.startswith("b")])


def test_a_row_that_left_the_catalogue_file_is_marked(collection: Collection, pictures: Path):
    table = pictures / "shop.csv"
    table.write_text("file,price\nred.png,3\nblue.png,4\n")
    assert outcomes(collection.index(table)) == {"added": 2}
    table.write_text("file,price\nred.png,5\n")
    assert outcomes(collection.index(table)) == {"updated": 1, "missing": 1}
    assert names(collection, "red", filter="price = 5") == ["red.png"]


def test_an_edited_picture_is_found_at_once_but_only_on_request(collection: Collection, pictures: Path):
    collection.index(pictures)
    red = collection.search("red", k=1).results[0].picture
    data = draw(pictures.parent / "edited.png", (255, 30, 30)).read_bytes()
    edited = collection.add(data, origin=Origin(red.id, ("adjust_attr brightness 10",)))
    assert edited.origin == Origin(red.id, ("adjust_attr brightness 10",))
    assert edited.id not in [result.picture.id for result in collection.search("red").results]
    assert edited.id in [result.picture.id for result in collection.search("red", with_edits=True).results]
    assert collection.add(data).id == edited.id, "the same bytes are the same picture"
    collection.index(pictures)
    assert not collection.picture(edited.id).missing
    assert collection.verify().sound


def test_a_collection_belongs_to_its_encoder(home: Path, pictures: Path, collection: Collection):
    collection.index(pictures)

    class OtherEncoder(TinyEncoder):
        name = "other"

    with (
        open_collection("photos", home, MemoryStore(), encoder=OtherEncoder()) as opened,
        pytest.raises(BadInputError, match="tiny-test"),
    ):
        opened.search("red")


class Folder(RuleBasedStateMachine):
    """Whatever happens to a folder, after indexing the collection has exactly its pictures."""

    @initialize()
    def start(self) -> None:
        import tempfile

        self.root = Path(tempfile.mkdtemp(prefix="visavis-folder-"))
        self.folder = self.root / "pictures"
        self.folder.mkdir()
        self.collection = open_collection(
            "photos", self.root / "home", MemoryStore(), encoder=TinyEncoder(), create=True
        )
        self.random = random.Random(0)
        self.clock = 10**18

    def _files(self) -> list[Path]:
        return sorted(self.folder.rglob("*.png"))

    def _stamp(self, path: Path) -> None:
        self.clock += 10**9  # two writes in one tick of the clock, with the same size, cannot be told apart by anybody
        os.utime(path, ns=(self.clock, self.clock))

    @rule(colour=st.sampled_from(list(COLOURS)), name=st.sampled_from(["a", "b", "c", "sub/d"]))
    def write(self, colour: str, name: str) -> None:
        self._stamp(draw(self.folder / f"{name}.png", colour))

    @rule(pick=st.integers(0, 9), name=st.sampled_from(["e", "sub/f"]))
    def move(self, pick: int, name: str) -> None:
        if files := self._files():
            (self.folder / "sub").mkdir(exist_ok=True)
            files[pick % len(files)].rename(self.folder / f"{name}.png")

    @rule(pick=st.integers(0, 9))
    def delete(self, pick: int) -> None:
        if files := self._files():
            files[pick % len(files)].unlink()

    @rule(pick=st.integers(0, 9))
    def break_(self, pick: int) -> None:
        if files := self._files():
            files[pick % len(files)].write_bytes(b"broken")
            self._stamp(files[pick % len(files)])

    @rule()
    def index(self) -> None:
        self.collection.index(self.folder)
        whole = [path for path in self._files() if path.read_bytes() != b"broken"]
        shown = sorted(path for picture in self.collection for path in picture.paths)
        assert shown == sorted(map(str, whole))
        assert len(self.collection.catalogue.failures()) == len(self._files()) - len(whole)
        assert self.collection.verify().sound

    @invariant()
    def no_picture_is_twice(self) -> None:
        ids = [picture.id for picture in self.collection]
        assert len(ids) == len(set(ids))

    def teardown(self) -> None:
        if hasattr(self, "collection"):
            self.collection.close()
            shutil.rmtree(self.root)


Folder.TestCase.settings = settings(
    max_examples=12, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
)
test_folder = Folder.TestCase
