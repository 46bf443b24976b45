from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from visavis.editing.editor import Editor
from visavis.editing.export import Manifest, describe, read_manifest, replay
from visavis.editing.recipe import EditRecipe
from visavis.errors import BadInputError

LINES = ["rotate 90", "invert", "adjust_attr contrast 20", "crop 2 2 18 15"]
IMAGE = Image.fromarray(np.random.default_rng(3).integers(0, 256, (20, 30, 3), np.uint8))


class TestRecipe:
    @given(st.integers(0, 4))
    @settings(deadline=None)
    def test_undo_restores_the_bytes_and_redo_brings_them_back(self, steps):
        recipe, editor = EditRecipe.of(LINES), Editor()
        states = [editor.edit(IMAGE, LINES[:count]).image.tobytes() for count in range(5)]
        back = recipe.undo(steps)
        assert editor.edit(IMAGE, back.active).image.tobytes() == states[4 - steps]
        assert back.redo(steps) == recipe

    def test_further_edits_after_an_undo_replace_what_was_undone(self):
        recipe = EditRecipe.of(LINES).undo(2).then("grayscale")
        assert [str(command) for command in recipe.commands] == ["rotate 90", "invert", "grayscale"]

    def test_any_step_can_be_reached(self):
        assert EditRecipe.of(LINES).at(0).active == ()
        assert len(EditRecipe.of(LINES).at(3).active) == 3

    @pytest.mark.parametrize(("move", "words"), [("undo", "4 steps to undo"), ("redo", "0 steps to redo")])
    def test_there_is_nothing_before_the_first_and_after_the_last(self, move, words):
        with pytest.raises(BadInputError, match=words):
            getattr(EditRecipe.of(LINES), move)(5)

    def test_no_step_outside(self):
        with pytest.raises(BadInputError, match="no step 9"):
            EditRecipe.of(LINES).at(9)

    def test_pixels_are_scaled_for_a_smaller_copy(self):
        recipe = EditRecipe.of(["crop 100 40 200 80", "border 20 red", "resize 400x", "rotate 30"]).scaled(0.25)
        assert [str(command) for command in recipe.active] == [
            "crop 25 10 50 20",
            "border 5 red",
            "resize 100x",
            "rotate 30",
        ]

    def test_nothing_is_scaled_to_nothing(self):
        recipe = EditRecipe.of(["crop 100 40 101 41", "border 1 red", "resize 4x4"]).scaled(0.01)
        assert [str(command) for command in recipe.active] == ["crop 1 0 2 1", "border 1 red", "resize 1x1"]

    def test_the_same_commands_work_on_another_picture(self):
        other = Image.new("RGBA", (100, 50), (9, 9, 9, 9))
        assert Editor().edit(other, EditRecipe.of(LINES).active).image.size == (16, 13)


class TestManifest:
    def test_it_replays_to_the_same_pixels(self):
        editor = Editor()
        result = editor.edit(IMAGE, LINES)
        manifest = Manifest.from_json(describe(result, editor, "in.png", "abc").to_json())
        assert manifest.source == "in.png"
        assert manifest.size == result.image.size
        again, same = replay(manifest, IMAGE, editor)
        assert same
        assert again.image.tobytes() == result.image.tobytes()

    def test_another_picture_gives_other_pixels(self):
        editor = Editor()
        manifest = describe(editor.edit(IMAGE, LINES), editor)
        _, same = replay(manifest, IMAGE.transpose(Image.Transpose.FLIP_LEFT_RIGHT), editor)
        assert not same

    @pytest.mark.parametrize(
        "text",
        ["", "[]", "{}", "null", '{"visavis_manifest": 1}', '{"visavis_manifest": 1, "commands": 3}', "[" * 100_000],
    )
    def test_what_is_no_manifest_is_refused(self, text):
        with pytest.raises(BadInputError):
            Manifest.from_json(text)

    def test_a_later_version_is_refused(self):
        with pytest.raises(BadInputError, match="version 2"):
            Manifest.from_json(json.dumps({"visavis_manifest": 2}))

    def test_a_command_in_it_that_is_none_is_refused(self):
        editor = Editor()
        text = describe(editor.edit(IMAGE, ["invert"]), editor).to_json().replace("invert", "search cats")
        with pytest.raises(BadInputError, match="does not change a picture"):
            _ = Manifest.from_json(text).recipe

    def test_a_missing_file_is_refused(self, tmp_path):
        with pytest.raises(BadInputError, match="cannot be read"):
            read_manifest(tmp_path / "none.json")
