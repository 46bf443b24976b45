import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from visavis.demo import describe_scene, draw_scene
from visavis.demo.scenes import DrawnScene, Group, group_phrase
from visavis.demo.vocabulary import Look

NUMBERS = ("no", "a", "two", "three", "four", "five", "six")


def blobs(mask):
    """How many separate regions of more than a few pixels a mask has."""
    left, count = mask.copy(), 0
    while left.any():
        stack, size = [tuple(np.argwhere(left)[0])], 0
        left[stack[0]] = False
        while stack:
            row, column = stack.pop()
            size += 1
            for near in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
                if 0 <= near[0] < mask.shape[0] and 0 <= near[1] < mask.shape[1] and left[near]:
                    left[near] = False
                    stack.append(near)
        count += size > 20
    return count


def scene_of(count, category="hat", kind="beanie", colour="red", background="white"):
    return DrawnScene(1, count, (Group(count, Look(category, colour, kind=kind)),), "", background)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6))
def test_the_same_seed_describes_the_same_scene(index):
    assert describe_scene(1, index) == describe_scene(1, index)


def test_the_same_scene_gives_the_same_pixels():
    for index in range(6):
        scene = describe_scene(1, index)
        assert draw_scene(scene, (128, 128)).tobytes() == draw_scene(scene, (128, 128)).tobytes()


@pytest.mark.parametrize("count", range(1, 7))
def test_as_many_things_are_drawn_as_the_caption_says(count):
    scene = scene_of(count)
    pixels = np.asarray(draw_scene(scene, (240, 240)), int)
    red = (pixels[..., 0] - pixels[..., 1] > 60) & (pixels[..., 0] - pixels[..., 2] > 60)
    assert blobs(red) == count
    assert scene.caption.lower().startswith(NUMBERS[count])


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 10**6))
def test_captions_name_every_group_with_its_count_and_colour(index):
    scene = describe_scene(2, index)
    assert sum(group.count for group in scene.groups) <= 6
    for caption in scene.captions:
        for group in scene.groups:
            assert group.look.colour in caption.lower()
            if group.count > 1:
                assert NUMBERS[group.count] in caption.lower()


@pytest.mark.parametrize(
    ("relation", "axis", "red_first"), [("left", 1, True), ("right", 1, False), ("above", 0, True), ("below", 0, False)]
)
def test_relations_are_drawn_as_they_are_told(relation, axis, red_first):
    groups = (Group(1, Look("hat", "red", kind="beanie")), Group(1, Look("bag", "blue", kind="clutch")))
    scene = DrawnScene(1, 1, groups, relation, "white")
    pixels = np.asarray(draw_scene(scene, (160, 160)), int)
    red = np.argwhere(pixels[..., 0] - pixels[..., 2] > 80).mean(axis=0)[axis]
    blue = np.argwhere(pixels[..., 2] - pixels[..., 0] > 80).mean(axis=0)[axis]
    assert (red < blue) == red_first
    word = {"left": "to the left of", "right": "to the right of"}.get(relation, relation)
    assert scene.caption == f"A red beanie {word} a blue clutch."


def test_the_backwards_caption_turns_the_relation_round():
    groups = (Group(1, Look("hat", "red", kind="beanie")), Group(1, Look("bag", "blue", kind="clutch")))
    assert "A blue clutch to the right of a red beanie." in DrawnScene(1, 1, groups, "left", "white").captions


@pytest.mark.parametrize(
    ("group", "said"),
    [
        (Group(3, Look("hat", "red", kind="fedora")), "three red fedoras"),
        (Group(2, Look("shoes", "olive", kind="sandals")), "two pairs of olive sandals"),
        (Group(1, Look("trousers", "grey")), "a pair of grey trousers"),
        (Group(1, Look("coat", "orange", "striped", "navy")), "an orange and navy striped coat"),
        (Group(2, Look("dress", "pink")), "two pink dresses"),
        (Group(2, Look("bag", "pink", kind="clutch")), "two pink clutches"),
        (Group(2, Look("T-shirt", "red", "logo", "white", logo="star")), "two red T-shirts with white star logos"),
    ],
)
def test_phrases(group, said):
    assert group_phrase(group) == said
