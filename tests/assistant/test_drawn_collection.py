"""Conversations end to end with the built-in encoder on drawn clothes: what is wanted comes, what is not goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from dialogues import carry_out, draw_catalogue, indexed_collection, talk

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.conversation.turns import Turn
from visavis.demo import describe
from visavis.pictures.picture import Picture

SEED = 7
STRIPED = "Burgundy and olive striped maxi dress with short sleeves and a boat neck"
CHECKED = "Blue and black checked mini dress with a square neckline and buttons"
#: Dresses and coats among the first things of the catalogue, some shirts, and a few other things between them.
CHOSEN = [
    index
    for index in range(110)
    if describe(SEED, index).attributes["category"] in ("dress", "coat") or index in (0, 1, 7, 12, 22, 31, 92, 94)
]


@pytest.fixture(scope="module")
def clothes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("clothes")
    table = draw_catalogue(folder, SEED, [("items", index) for index in CHOSEN])
    with indexed_collection("clothes", folder / "home", table) as collection:
        yield collection


@pytest.fixture(scope="module")
def assistant(clothes: Collection) -> Assistant:
    return Assistant(clothes)


def shown(turn: Turn, collection: Collection, count: int = 20) -> list[Picture]:
    return list(collection.catalogue.pictures([result.id for result in turn.results[:count]]).values())


def place_of(title: str, turn: Turn, collection: Collection) -> int:
    """Where a picture is shown, counted from one; far down when it is not."""
    titles = [picture.title for picture in shown(turn, collection)]
    return titles.index(title) + 1 if title in titles else 999


@pytest.mark.parametrize(
    ("messages", "target"),
    [
        (["a dress", "with stripes", "in burgundy"], STRIPED),
        (["a coat", "with flowers on it", "green"], "Green floral long coat with long sleeves and lapels"),
        (["a shirt", "navy", "with dots"], "Navy polka dot slim shirt with long sleeves and a collar"),
        (["a red coat", "in pink"], "Pink floral short coat with long sleeves and lapels"),
        (["something checked", "a dress", "blue and black"], CHECKED),
        (["a coat", "in grey", "no checks"], "Grey long coat with long sleeves and a stand collar"),
    ],
)  # fmt: skip
def test_the_target_is_among_the_first_five_after_the_refinement(
    assistant: Assistant, clothes: Collection, messages: list[str], target: str
):
    said = talk(assistant, *messages)
    assert place_of(target, said.last, clothes) <= 5, [picture.title for picture in shown(said.last, clothes, 5)]


def test_the_target_is_among_the_first_five_after_refining_by_commands(assistant: Assistant, clothes: Collection):
    said = carry_out(assistant, "search dress", "refine orange", "refine with flowers")
    target = "Orange floral midi dress with thin straps and a V-neck"
    assert place_of(target, said.last, clothes) <= 5, [picture.title for picture in shown(said.last, clothes, 5)]


def test_a_conversation_comes_closer_turn_by_turn(assistant: Assistant, clothes: Collection):
    said = talk(assistant, "a dress", "with stripes", "in burgundy")
    places = [place_of(STRIPED, turn, clothes) for turn in said.turns]
    assert places[2] <= places[0]


def test_what_is_excluded_is_gone(assistant: Assistant, clothes: Collection):
    said = carry_out(assistant, "search coat", "avoid flowers")
    before = [picture.attributes["pattern"] for picture in shown(said.turns[0], clothes, 10)]
    after = [picture.attributes["pattern"] for picture in shown(said.last, clothes, 10)]
    assert before.count("floral") >= 2
    assert after.count("floral") <= 1


def test_the_later_colour_counts(assistant: Assistant, clothes: Collection):
    said = talk(assistant, "a red coat", "in blue")
    colours = [picture.attributes["colour"] for picture in shown(said.last, clothes, 3)]
    assert "red" not in colours
    assert {"blue", "navy", "light blue", "lavender"} & set(colours)


def test_prices_and_kinds_are_hard_conditions(assistant: Assistant, clothes: Collection):
    said = carry_out(assistant, "search coat", "filter price < 140")
    prices = [picture.attributes["price"] for picture in shown(said.last, clothes)]
    assert prices
    assert max(prices) < 140


def test_rollback_restores_the_ranking_to_the_last_place_and_score(assistant: Assistant):
    said = talk(assistant, "a coat", "no flowers", "in green", "under 140", "go back to turn 2")
    assert said.last.results == said.turns[1].results
    assert said.last.brief == said.turns[1].brief


def test_every_result_says_why_it_is_there(assistant: Assistant):
    said = talk(assistant, "a dress", "with stripes")
    assert all(result.because for result in said.last.results)
    assert {reason.wish for reason in said.last.results[0].because} == {0, 1}


def test_cropping_and_searching_on(assistant: Assistant):
    said = carry_out(assistant, "search floral coat", "select #1", "crop on middle", "like this")
    hand = said.turns[2].hand
    assert hand is not None
    assert hand.edits == ("crop on middle",)
    assert said.last.brief.of("like")[0].picture == hand.picture
    assert said.last.results
    assert not {hand.picture, hand.source} & {result.id for result in said.last.results}


def test_a_replay_gives_the_same_rankings(assistant: Assistant):
    said = talk(assistant, "a coat", "no flowers", "I like #2 but green", "longer", "go back to turn 2", "show me more")
    again = assistant.replay(said)
    for before, after in zip(said.turns, again.turns, strict=True):
        assert [r.id for r in before.results] == [r.id for r in after.results], before.message


def test_nonsense_and_thanks_search_nothing(assistant: Assistant):
    said = talk(assistant, "a coat", "thanks a lot!", "hello", "asdfghjkl")
    assert all(turn.results == said.turns[0].results for turn in said.turns)
    assert all(turn.reply for turn in said.turns)


def test_files_of_results_are_there(assistant: Assistant, clothes: Collection):
    said = talk(assistant, "a dress")
    assert all(Path(picture.path).is_file() for picture in shown(said.last, clothes))


def test_it_is_said_when_nothing_fits_everything(assistant: Assistant):
    said = carry_out(assistant, "search coat", "refine a green elephant on a bicycle")
    assert "come closest" in said.last.reply
    assert said.last.results, "what comes closest is shown all the same"


# -- things in the picture -----------------------------------------------------------------------------------


def test_the_colour_of_a_thing_in_the_picture_is_read_from_it(clothes: Collection):
    """What a message such as "a hat in the colour of the coat" needs to know of the picture in hand."""
    from visavis.language.lexicon import colours
    from visavis.search.seer import PictureSeer

    seer = PictureSeer(clothes)
    right = total = 0
    for picture in list(clothes.catalogue.pictures(list(clothes.store.ids())).values()):
        told = picture.attributes
        if told["category"] not in ("dress", "coat", "shirt") or told["pattern"] != "plain":
            continue
        seen = seer.concepts(picture.id, f"find a hat in the colour of the {told['category']}")
        wanted = {colours().get(word, word) for word in str(told["colour"]).split()}
        total += 1
        right += any(one.noun == told["category"] and one.attributes[0] in wanted for one in seen)
    assert total >= 5
    assert right >= 0.8 * total, f"{right} of {total}"


def test_nobody_is_seen_among_clothes(clothes: Collection):
    from visavis.search.seer import PictureSeer

    seer = PictureSeer(clothes)
    seen = {concept.noun for id in list(clothes.store.ids())[:8] for concept in seer.concepts(id)}
    assert seen, "something is seen"
    assert not seen & {"person", "man", "woman", "boy", "girl", "child"}


def test_a_picture_that_is_gone_shows_nothing(clothes: Collection):
    from visavis.search.seer import PictureSeer

    assert PictureSeer(clothes).concepts("0" * 32, "the colour of the dress") == ()
