"""Search and edit in one conversation, as in CAISE, with the built-in encoder on drawn pictures of known content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from dialogues import carry_out, do, draw_catalogue, in_hand, indexed_collection
from numpy.typing import NDArray
from PIL import Image

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.assistant.edits import read_edits, still_true
from visavis.conversation.conversation import Conversation
from visavis.conversation.turns import Hand
from visavis.demo import describe
from visavis.editing.export import export_picture
from visavis.pictures.picture import Details

SEED = 7
#: Dresses, coats and a few other things, one in each picture.
ITEMS = [
    index
    for index in range(75)
    if describe(SEED, index).attributes["category"] in ("dress", "coat") or index in (0, 1, 7, 12, 22, 31)
]
#: Two things in each picture, one beside or above the other.
SCENES = (4, 8, 13, 17, 20, 22, 32, 35)

HAT_AND_COAT = "search a burgundy hat to the right of a white coat"
SKIRT_AND_BAG = "search an orange skirt below a mustard bag"
COAT_AND_BAG = "search a pink coat to the right of a black bag"


@pytest.fixture(scope="module")
def wardrobe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("wardrobe")
    things = [("items", index) for index in ITEMS] + [("scenes", index) for index in SCENES]
    table = draw_catalogue(folder, SEED, things)
    with indexed_collection("wardrobe", folder / "home", table) as collection:
        yield collection


@pytest.fixture
def assistant(wardrobe: Collection, tmp_path: Path) -> Assistant:
    return Assistant(wardrobe, folder=tmp_path)


def edit_thing(assistant: Assistant, conversation: Conversation, line: str) -> None:
    """Edit a named thing that is plainly there: it is found without a question."""
    do(assistant, conversation, line)
    assert not conversation.last.pending, conversation.last.reply


def pixels(collection: Collection, id: str) -> NDArray[np.uint8]:
    return np.asarray(collection.open_image(id, keep_alpha=True))


def middle(weights: NDArray[np.generic]) -> tuple[float, float]:
    """The centre of mass as shares of width and height."""
    rows, columns = np.nonzero(weights)
    return float(columns.mean() / weights.shape[1]), float(rows.mean() / weights.shape[0])


def titles(said: Conversation, collection: Collection, count: int = 20) -> list[str]:
    found = collection.catalogue.pictures([result.id for result in said.last.results[:count]])
    return [(picture.title or picture.caption).lower() for picture in found.values()]


def place_in(part: NDArray[np.uint8], whole: NDArray[np.uint8]) -> tuple[int, int]:
    """Where a crop was taken from: left and top."""
    height, width = part.shape[:2]
    for top in range(whole.shape[0] - height + 1):
        for left in range(whole.shape[1] - width + 1):
            if (whole[top, left] == part[0, 0]).all() and (
                whole[top : top + height, left : left + width] == part
            ).all():
                return left, top
    raise AssertionError("the crop is no part of the picture")


# -- things by name --------------------------------------------------------------------------------------


def test_crop_to_a_named_thing_and_find_others_like_it(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, HAT_AND_COAT, "select #1")
    edit_thing(assistant, said, "crop on hat")
    hand = in_hand(said)
    assert hand.edits == ("crop on hat",)
    crop, whole = pixels(wardrobe, hand.picture), pixels(wardrobe, hand.source)
    left, _ = place_in(crop, whole)
    assert left + crop.shape[1] / 2 > whole.shape[1] / 2, "the hat is on the right"
    assert crop.size < whole.size / 2
    do(assistant, said, "like this")
    assert [wish.kind for wish in said.last.brief.active] == ["like"], "the coat beside it no longer counts"
    assert said.last.brief.of("like")[0].picture == hand.picture, "the likeness is to the edited pixels"
    others = titles(said, wardrobe)
    # Of 28 other pictures two show a hat, each beside something larger; its source is no other.
    places = [place for place, title in enumerate(others, 1) if "hat" in title.split() or "beanie" in title.split()]
    assert len(places) == 2, others
    assert places[0] == 1, others
    assert places[1] <= 5, others
    assert not {hand.picture, hand.source} & {result.id for result in said.last.results}, "neither is another one"
    do(assistant, said, "more")
    assert hand.source not in {result.id for result in said.last.results}


def test_a_search_from_an_edited_picture_leaves_out_where_it_came_from(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, HAT_AND_COAT, "select #1", "flip horizontal", "adjust_attr brightness -20")
    hand, flipped = in_hand(said), said.turns[2].hand
    assert flipped is not None
    for with_edits in (False, True):
        found = wardrobe.search(like=(hand.picture,), with_edits=with_edits, k=20).results
        assert found
        assert not {hand.picture, hand.source, flipped.picture} & {result.picture.id for result in found}
    from_source = wardrobe.search(like=(hand.source,), with_edits=True, k=20).results
    assert {hand.picture, flipped.picture} & {result.picture.id for result in from_source}, "edits are found from it"


def test_cut_out_a_named_thing_then_undo_then_colour_another(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, SKIRT_AND_BAG, "select #1")
    edit_thing(assistant, said, "image_cutout on bag")
    hand = in_hand(said)
    assert hand.edits == ("image_cutout on bag",)
    alpha = pixels(wardrobe, hand.picture)[..., 3] > 127
    assert middle(alpha)[1] < 0.5, "the bag is above"
    assert 0.02 < alpha.mean() < 0.4
    do(assistant, said, "undo")
    assert in_hand(said).picture == hand.source
    edit_thing(assistant, said, "adjust_color blue 0.3 on skirt")
    hand = in_hand(said)
    assert hand.edits == ("adjust_color blue 0.3 on skirt",)
    before, after = pixels(wardrobe, hand.source).astype(int), pixels(wardrobe, hand.picture).astype(int)
    changed = np.abs(after - before).max(axis=2) > 20
    assert middle(changed)[1] > 0.5, "the skirt is below"
    assert 0.05 < changed.mean() < 0.6
    assert (after - before)[..., 2][changed].mean() > 0 > (after - before)[..., 0][changed].mean()


def test_one_of_two_by_its_place(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, COAT_AND_BAG, "select #1")
    edit_thing(assistant, said, "crop on bag on the left")
    do(assistant, said, "rotate 180")
    hand = in_hand(said)
    assert hand.edits == ("crop on bag on the left", "rotate 180")
    crop, whole = pixels(wardrobe, hand.picture)[::-1, ::-1], pixels(wardrobe, hand.source)
    left, _ = place_in(crop, whole)
    assert left + crop.shape[1] / 2 < whole.shape[1] / 2


def test_the_background_and_back_to_the_original(assistant: Assistant, wardrobe: Collection):
    said = carry_out(
        assistant, "search a dress", "select #2", "adjust_attr brightness -20 on background", "grayscale", "reset edits"
    )
    dark, grey = said.turns[2].hand, said.turns[3].hand
    assert dark is not None
    assert grey is not None
    before, after = pixels(wardrobe, dark.source).astype(int), pixels(wardrobe, dark.picture).astype(int)
    assert (after[:8] < before[:8]).all(), "the rim is background"
    centre = np.s_[240:272, 176:208]
    assert np.abs(after[centre] - before[centre]).max() <= 2, "the dress is not"
    shades = pixels(wardrobe, grey.picture)
    assert (shades[..., 0] == shades[..., 1]).all()
    assert in_hand(said) == Hand(dark.source, dark.source)


def test_a_shown_picture_becomes_the_background(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, "search a dress", "select #1", "replace_background #3")
    hand = in_hand(said)
    third = said.turns[0].results[2].id
    assert hand.edits == (f'replace_background "{third}"',), "what #3 meant then, and not what it means tomorrow"
    corner = pixels(wardrobe, hand.picture)[:20, :20, :3].astype(int)
    assert np.abs(corner - pixels(wardrobe, third)[:20, :20].astype(int)).mean() < 3


def test_a_background_by_words_comes_from_the_collection(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, "search a dress", "select #1", 'replace_background "red floral coat"')
    (line,) = in_hand(said).edits
    id = line.removeprefix('replace_background "').removesuffix('"')
    assert "coat" in wardrobe.picture(id).title.lower()


# -- steps ------------------------------------------------------------------------------------------------


def test_undo_and_redo_to_any_step(assistant: Assistant):
    said = carry_out(
        assistant, "search a floral coat", "select #1", 'caption "SALE" top', "border 20 white",
        "adjust_attr brightness 20",
    )  # fmt: skip
    steps = [turn.hand for turn in said.turns[1:]]
    assert in_hand(said).edits == ('caption "SALE" top', "border 20 white", "adjust_attr brightness 20")
    for line, expected in (
        ("undo", steps[2]),
        ("undo 2", steps[0]),
        ("redo", steps[1]),
        ("redo 2", steps[3]),
        ("undo 3", steps[0]),
        ("rollback 4", steps[2]),
    ):
        do(assistant, said, line)
        assert in_hand(said) == expected, line


def test_the_same_on_the_next_three_is_one_picture_each(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, "search a coat", "select #1", "rotate 270", "border 20 red")
    sources = [result.id for result in said.turns[0].results]
    do(assistant, said, "repeat next 3")
    made = [wardrobe.picture(result.id) for result in said.last.results]
    assert [picture.origin.source_id for picture in made if picture.origin] == sources[1:4]
    assert {picture.origin.commands for picture in made if picture.origin} == {("rotate 270", "border 20 red")}
    for picture in made:
        assert picture.origin is not None
        source = wardrobe.picture(picture.origin.source_id)
        assert (picture.width, picture.height) == (source.height + 40, source.width + 40)
    do(assistant, said, "undo")
    assert in_hand(said).edits == ("rotate 270", "border 20 red")


def test_the_same_on_all_the_others(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, "search a hat", "fewer 4", "flip horizontal", "repeat #2 #3 #4")
    made = [wardrobe.picture(result.id) for result in said.last.results]
    assert len(made) == 3
    assert all(picture.origin and picture.origin.commands == ("flip horizontal",) for picture in made)


# -- editing to search, searching to edit ------------------------------------------------------------------


def test_the_same_in_the_colour_that_it_was_given(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, "search a green coat", "select #1")
    do(assistant, said, "adjust_color pink 0.9")
    painted = in_hand(said)
    do(assistant, said, "keep colour of this")
    kept = said.last.brief.of("keep")[0]
    assert (kept.picture, kept.attribute) == (painted.picture, "colour"), "the edited pixels count"
    assert "pink" not in titles_at(said, 0, wardrobe)[0]
    assert "pink" in titles_at(said, 3, wardrobe)[0], "what has that colour comes first"
    assert painted.source not in {result.id for result in said.last.results}, "which has the old colour"


def test_this_means_the_edited_picture_throughout_a_message(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, "search a coat", "select #1")
    do(assistant, said, "adjust_color pink 0.9")
    painted = in_hand(said)
    do(assistant, said, "like this ; keep colour of this")
    wishes = said.last.brief.of("like", "keep")
    assert {wish.kind: wish.picture for wish in wishes} == {"like": painted.picture, "keep": painted.picture}


@pytest.mark.parametrize(
    ("edit", "colour"),
    [
        ("adjust_color pink 0.9", "pink"),
        ("adjust_color pink 0.2", None),
        ("adjust_color #ff8800 0.9", None),
        ("grayscale", "grey"),
        ("adjust_attr warmth 40", None),
        ("flip horizontal", "green"),
    ],
)
def test_an_edited_picture_is_not_said_to_have_its_old_colour(edit: str, colour: str | None):
    before = Details(("a coat",), {"colour": "green", "pattern_color": "mustard", "price": 9.5})
    after = still_true(before, read_edits([edit]))
    assert after.attributes.get("colour") == colour
    assert after.attributes["price"] == 9.5
    assert after.captions == before.captions


def titles_at(said: Conversation, turn: int, collection: Collection) -> list[str]:
    found = collection.catalogue.pictures([result.id for result in said.turns[turn].results])
    return [(picture.title or picture.caption).lower() for picture in found.values()]


def test_something_else_in_the_colour_in_hand(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, "search a navy coat", "select #1", "crop 1:1", "keep colour of this ; search dresses")
    assert [wish.kind for wish in said.last.brief.active] == ["keep", "want"]
    assert said.last.brief.of("keep")[0].picture == said.turns[2].hand.picture  # type: ignore[union-attr]
    assert any("navy" in title or "blue" in title for title in titles(said, wardrobe, 3)), titles(said, wardrobe, 5)
    assert all("dress" in title for title in titles(said, wardrobe, 3))


def test_edits_are_searchable_before_the_reply_and_kept_apart(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, "search a striped dress", "select #1", "flip vertical", "adjust_attr warmth 20")
    made = in_hand(said).picture
    assert wardrobe.store.vectors([made])
    title = wardrobe.picture(made).title
    assert made not in ids(wardrobe.search(title, k=60))
    assert made in ids(wardrobe.search(title, k=60, with_edits=True))
    source = in_hand(said).source
    assert made in ids(wardrobe.search(like=(source,), k=60, with_edits=True))
    do(assistant, said, f"search {title}")
    assert made not in {result.id for result in said.last.results}


def ids(found: object) -> set[str]:
    """Every picture of a result, near-duplicates that were folded together included."""
    results: Sequence[object] = found.results  # type: ignore[attr-defined]
    folded = {id for result in results for id in result.folded}  # type: ignore[attr-defined]
    return {result.picture.id for result in results} | folded  # type: ignore[attr-defined]


def test_several_orders_in_one_message_and_a_file_at_the_end(
    assistant: Assistant, wardrobe: Collection, tmp_path: Path
):
    said = carry_out(
        assistant, "search a checked dress", "select #1", "rotate 270 ; adjust_attr contrast 20",
        "adjust_attr contrast 20", 'export "dress.png"',
    )  # fmt: skip
    hand = in_hand(said)
    assert hand.edits[:2] == ("rotate 270", "adjust_attr contrast 20")
    assert len(hand.edits) == 3
    with Image.open(tmp_path / "dress.png") as saved:
        assert (np.asarray(saved) == pixels(wardrobe, hand.picture)).all()
    made = export_picture(wardrobe, hand.picture, lambda _: assistant_editor(wardrobe))
    assert made.as_before, "the whole recipe on the original gives what step by step gave"


def assistant_editor(collection: Collection) -> object:
    from visavis.editing.editor import Editor

    return Editor(collection.encoder)


def test_searching_on_frees_the_hand_and_going_back_takes_it_up_again(assistant: Assistant):
    said = carry_out(
        assistant, "search a coat", "select #1", "adjust_attr brightness 20", "search a dress", "rollback 3"
    )
    assert said.turns[3].hand is None
    assert in_hand(said) == said.turns[2].hand


def test_what_is_not_there_is_asked_about_before_anything_changes(assistant: Assistant, wardrobe: Collection):
    said = carry_out(assistant, "search a grey coat", "select #1", "image_cutout on bicycle")
    assert said.last.question is not None
    assert in_hand(said).edits == ()
    assert said.last.pending == ("image_cutout on bicycle",)
    assistant.reply(said, "no")
    assert in_hand(said).edits == ()
    do(assistant, said, "adjust_attr brightness -20")
    assert in_hand(said).edits == ("adjust_attr brightness -20",)


def test_a_replay_makes_the_same_pictures(assistant: Assistant):
    said = carry_out(assistant, HAT_AND_COAT, "select #1")
    edit_thing(assistant, said, "crop on hat")
    for line in ("like this", "select #2", "image_cutout"):
        do(assistant, said, line)
    again = assistant.replay(said)
    assert [turn.hand for turn in again.turns] == [turn.hand for turn in said.turns]
    assert [r.id for r in again.last.results] == [r.id for r in said.last.results]
