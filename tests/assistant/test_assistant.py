"""Conversations end to end on pictures of plain colours: what is shown, kept, restored, edited and saved."""

from __future__ import annotations

import re
import statistics
import time
from itertools import pairwise
from pathlib import Path

import pytest
from dialogues import talk
from drawing import draw_mixed
from talking import open_colours

from visavis.api import Collection
from visavis.assistant import Assistant
from visavis.assistant.reply_json import reply_json
from visavis.conversation.turns import Hand, Turn
from visavis.errors import BadInputError
from visavis.language.commands import parse_command, parse_commands
from visavis.pictures.looks import measure


def names(turn: Turn, collection: Collection, count: int = 5) -> list[str]:
    """The files of the first results, without their endings."""
    pictures = collection.catalogue.pictures([result.id for result in turn.results[:count]])
    return [Path(picture.path).stem for picture in pictures.values()]


def ids(turn: Turn) -> list[str]:
    return [result.id for result in turn.results]


# -- finding ---------------------------------------------------------------------------------------------


def test_the_brief_decides_not_the_last_sentence(assistant: Assistant, colours: Collection):
    said = talk(assistant, "something red", "in blue", "under 200")
    assert names(said.last, colours, 1)[0].startswith("blue")
    assert said.last.brief.active[-1].label == "price under 200"
    assert "red" not in said.last.brief.told


def test_filters_hold_for_every_result(assistant: Assistant, colours: Collection):
    said = talk(assistant, "red", "under 50")
    pictures = colours.catalogue.pictures(ids(said.last))
    assert pictures
    assert all(picture.attributes["price"] < 50 for picture in pictures.values())


def test_rollback_shows_exactly_what_was_shown(assistant: Assistant):
    said = talk(assistant, "red", "no blue", "under 90", "go back to turn 1")
    first, last = said.turns[0], said.last
    assert (last.results, last.brief, last.window) == (first.results, first.brief, first.window)
    assert last.restores == 1
    assert len(said) == 4, "a rollback is a new turn; nothing is erased"


def test_going_on_after_a_rollback_starts_from_there(assistant: Assistant):
    said = talk(assistant, "red", "under 90", "go back to turn 1")
    assistant.do(said, [parse_command("avoid blue")], "no blue")
    assert [wish.label for wish in said.last.brief.active] == ["red", "no blue"]
    assistant.reply(said, "undo")
    assert said.last.brief == said.turns[0].brief
    assistant.reply(said, "undo")
    assert said.last.brief == said.turns[1].brief, "the rollback itself can be undone"


def test_rollback_and_refine_in_one_message(assistant: Assistant):
    said = talk(assistant, "red", "under 90")
    assistant.do(said, [parse_command("rollback 1"), parse_command("avoid blue")], "back to turn 1 but no blue")
    assert [wish.label for wish in said.last.brief.active] == ["red", "no blue"]


def test_a_changed_collection_is_looked_at_again(own_colours: Collection, tmp_path: Path):
    assistant = Assistant(own_colours)
    said = talk(assistant, "red", "in blue")
    draw_mixed(tmp_path / "more" / "new-red.png", "red", "white")
    own_colours.index(tmp_path / "more")
    assistant.reply(said, "go back to turn 1")
    assert "new-red" in names(said.last, own_colours, 5)
    assert "looked again" in said.last.reply


def test_a_picture_that_is_gone_is_not_shown_again(own_colours: Collection):
    assistant = Assistant(own_colours)
    said = talk(assistant, "red", "in blue")
    gone = said.turns[0].results[0].id
    own_colours.remove_pictures([gone])
    assistant.reply(said, "go back to turn 1")
    assert gone not in ids(said.last)
    assert said.last.results


def test_more_shows_others_and_fewer_shows_less(assistant: Assistant):
    said = talk(assistant, "red")
    assistant.do(said, [parse_command("fewer 5")])
    first = ids(said.last)
    assistant.do(said, [parse_command("more")])
    second = ids(said.last)
    assistant.do(said, [parse_command("more")])
    third = ids(said.last)
    assert [len(first), len(second), len(third)] == [5, 5, 5]
    assert len({*first, *second, *third}) == 15
    assistant.do(said, [parse_command("more 100")])
    assistant.do(said, [parse_command("more 100")])
    assert said.last.reply == "That was all."
    assistant.reply(said, "undo")
    assert len(said.last.results) == 9


@pytest.mark.parametrize("line", ["sort date asc", "filter weight < 50"])
def test_what_no_picture_tells_is_left_aside_and_said(assistant: Assistant, line: str):
    said = talk(assistant, "red")
    before = ids(said.last)
    assistant.do(said, [parse_command(line)])
    assert ids(said.last) == before
    assert f"do not tell their {line.split()[1]}" in said.last.reply
    assert len(said.last.brief.active) == 1


def test_what_was_asked_for_is_summed_up(assistant: Assistant):
    said = talk(assistant, "something red", "no stripes", "what have I asked for so far?")
    assert said.last.reply == "You are looking for “red” (turn 1) and “no stripes” (turn 2)."


def test_an_edit_takes_the_picture_it_points_at(assistant: Assistant):
    said = talk(assistant, "something red", "mirror the second one")
    assert said.last.hand is not None
    assert said.last.hand.source == ids(said.turns[0])[1]


@pytest.mark.parametrize("nothing", ["", "   ", "chat nonsense", "?!"])
def test_nothing_said_does_nothing(assistant: Assistant, nothing: str):
    said = talk(assistant, "something red", "adjust_attr brightness 20", nothing)
    assert said.last.hand == said.turns[1].hand
    assert [command.verb for command in said.last.commands] == ["chat"]


def test_the_condition_that_leaves_nothing_is_named_however_long_ago_it_was_said(assistant: Assistant):
    said = assistant.start()
    for line in ("search red", "filter price < 5", "filter kind != plain"):
        assistant.do(said, [parse_command(line)], line)
        assert line == "search red" or said.last.reply.endswith(" “price under 5”.")
    assert said.last.question is not None
    assert said.last.question.options[0] == ("yes", "forget price")


def test_a_type_is_kept_before_a_price(assistant: Assistant):
    """Of "plain" and "under 5" the price is offered to be dropped, though either alone leaves pictures."""
    said = assistant.start()
    for line in ("filter price < 16", "filter kind = mixed", "filter price < 12"):
        assistant.do(said, [parse_command(line)], line)
    assert said.last.question is not None
    assert said.last.question.text.startswith("Shall I drop “price under 12”? That leaves ")


def test_sorting_orders_what_is_shown(assistant: Assistant, colours: Collection):
    said = talk(assistant, "red")
    assistant.do(said, [parse_command("sort price desc")])
    assert [wish.label for wish in said.last.brief.of("sort")] == ["most expensive first"]


def test_the_first_of_an_order_is_named_with_its_value(assistant: Assistant, colours: Collection):
    said = talk(assistant, "filter price > 20", "sort price asc")
    first = colours.picture(said.last.results[0].id)
    assert said.last.reply.endswith(f" The cheapest is #1, “{first.caption}”, {first.attributes['price']:g}.")
    assert talk(assistant, "red", "sort brightness desc").last.reply.endswith("”.")


def test_no_picture_that_misses_the_topic_is_named_as_the_cheapest(assistant: Assistant):
    said = talk(assistant, "a zeppelin over mountains", "sort price asc")
    assert said.last.matches == 0
    assert said.last.results
    assert "cheapest" not in said.last.reply


def test_these_are_those_shown_where_nothing_matches(assistant: Assistant, colours: Collection):
    said = talk(assistant, "red", "avoid green", "purple elephants", "refine stripes", "sort price asc")
    before, after = said.turns[-2:]
    assert before.matches == 0
    assert {result.id for result in before.results} == {result.id for result in after.results}
    topic = next(at for at, wish in enumerate(after.brief.wishes) if wish.active and wish.kind == "want")
    fits = [any(reason.wish == topic and reason.fits for reason in result.because) for result in after.results]
    prices = [colours.picture(result.id).attributes["price"] for result in after.results]
    order = [(not fit, price) for fit, price in zip(fits, prices, strict=True)]
    assert order == sorted(order), "by price, what fits the topic before the rest"


def test_pictures_are_sorted_by_how_bright_they_are(assistant: Assistant, colours: Collection):
    said = talk(assistant, "red")
    assistant.do(said, parse_commands("reset ; filter price > 0 ; sort brightness desc"))
    light = [measure(colours.open_image(result.id))[0] for result in said.last.results]
    assert len(light) > 5
    assert all(first > second - 2 for first, second in pairwise(light))  # thumbnails differ a little from pictures
    assert light[0] > light[-1] + 20
    assert "brightest first" in said.last.reply


def test_going_back_tells_what_is_shown_again(assistant: Assistant):
    said = talk(assistant, "red", "no blue")
    assert said.turns[0].reply == "3 pictures for “red”."
    assistant.do(said, [parse_command("rollback 1")])
    assert said.last.reply == "Back at “red”. 3 pictures."
    assistant.do(said, [parse_command("undo")])
    assert said.last.reply.startswith("Back at “red; no blue”.")


def test_what_is_left_of_a_wish_is_told(assistant: Assistant):
    said = talk(assistant, "red")
    assistant.do(said, parse_commands("search red square ; forget red"))
    assert "“red square” is “square” now." in said.last.reply
    assistant.do(said, parse_commands("search red or blue square"))
    assistant.do(said, parse_commands("avoid red square"))
    assert "“red or blue square” is “blue square” now." in said.last.reply


def test_what_can_be_sorted_by_is_told(assistant: Assistant):
    said = talk(assistant, "red")
    assistant.do(said, [parse_command("sort weight asc")])
    assert "do not tell their weight" in said.last.reply
    assert "I can sort by price, brightness or how colourful they are." in said.last.reply


def test_random_is_repeatable_and_keeps_to_filters(assistant: Assistant, colours: Collection):
    said = talk(assistant, "surprise me")
    assert len(said.last.results) == 20
    filtered = assistant.start()
    assistant.do(filtered, [parse_command("filter price < 50")])
    assistant.do(filtered, [parse_command("random")])
    prices = [picture.attributes["price"] for picture in colours.catalogue.pictures(ids(filtered.last)).values()]
    assert prices
    assert max(prices) < 50


def test_nothing_left_names_the_condition_and_offers_to_drop_it(assistant: Assistant):
    said = talk(assistant, "red", "under 5")
    assert said.last.results == ()
    assert "price under 5" in said.last.reply
    assert said.last.question is not None
    assistant.reply(said, "yes")
    assert said.last.results
    assert said.last.answered == said.turns[1].question
    assert [wish.label for wish in said.last.brief.active] == ["red"]


def test_pointing_takes_a_picture_in_hand(assistant: Assistant):
    said = talk(assistant, "red", "the third one")
    assert said.last.hand is not None
    assert said.last.hand.picture == said.turns[0].results[2].id
    assert said.last.results == said.turns[0].results


def test_liking_a_picture_brings_its_like(assistant: Assistant, colours: Collection):
    said = talk(assistant, "surprise me")
    assistant.do(said, [parse_command("like #1")])
    wish = said.last.brief.of("like")[0]
    assert wish.picture == said.turns[0].results[0].id


def test_small_talk_changes_nothing(assistant: Assistant):
    said = talk(assistant, "red", "thanks!", "hello")
    assert said.last.results == said.turns[0].results
    assert said.last.stands_at == 1
    assert said.turns[1].reply == "You are welcome."
    assistant.reply(said, "undo")
    assert said.last.stands_at == 0, "small talk is no step to undo"


@pytest.mark.parametrize(
    "line", ["like #99", "rollback 7", "keep colour @9", "undo 5", "redo", "reset edits", "repeat next 2"]
)
def test_what_cannot_be_done_is_said_and_changes_nothing(assistant: Assistant, line: str):
    said = talk(assistant, "red")
    turn = assistant.do(said, [parse_command(line)], line)
    assert re.search(r"There (is|are) (no|nothing|only)|No ", turn.reply)
    assert (turn.brief, turn.results, turn.stands_at) == (said.turns[0].brief, said.turns[0].results, 1)


def test_start_over_forgets_the_wishes_but_not_the_turns(assistant: Assistant):
    said = talk(assistant, "red", "under 50", "start over")
    assert said.last.brief.wishes == ()
    assistant.reply(said, "go back to turn 2")
    assert said.last.results == said.turns[1].results


# -- wishes without words ----------------------------------------------------------------------------------


def test_a_wish_switched_off_and_on_again_gives_the_same_ranking(assistant: Assistant):
    said = talk(assistant, "red", "under 50")
    assistant.revise(said, "off 2.1")
    assert len(said.last.results) == 20
    assistant.revise(said, "on 2.1")
    assert ids(said.last) == ids(said.turns[1])


def test_every_wish_off_shows_nothing_and_says_so(assistant: Assistant):
    said = talk(assistant, "red")
    assistant.revise(said, "off 1.1")
    assert said.last.results == ()
    assert "no wishes" in said.last.reply


def test_a_bad_change_is_no_turn(assistant: Assistant):
    said = talk(assistant, "red")
    with pytest.raises(BadInputError):
        assistant.revise(said, "off")
    assert len(said) == 1


# -- editing -----------------------------------------------------------------------------------------------


def test_edits_make_a_new_picture_that_knows_its_origin(assistant: Assistant, colours: Collection):
    said = talk(assistant, "red", "select #2", "rotate 270", "adjust_attr brightness 20")
    hand = said.last.hand
    assert hand is not None
    assert hand.source == said.turns[0].results[1].id
    assert hand.edits == ("rotate 270", "adjust_attr brightness 20")
    picture = colours.picture(hand.picture)
    assert picture.origin is not None
    assert picture.origin.source_id == hand.source
    original = colours.picture(hand.source)
    assert (picture.width, picture.height) == (original.height, original.width)
    assert hand.picture not in ids(said.last), "edited pictures do not crowd the results"


def test_undo_gives_the_earlier_picture_back(assistant: Assistant):
    said = talk(assistant, "red", "rotate 270", "adjust_attr brightness 20", "undo")
    assert said.last.hand == said.turns[1].hand
    assistant.reply(said, "undo")
    first = said.turns[0].results[0].id
    assert said.last.hand == Hand(first, first)
    assistant.reply(said, "redo")
    assert said.last.hand == said.turns[1].hand


def test_the_picture_whose_only_edit_is_undone_stays_in_hand(assistant: Assistant):
    said = talk(assistant, "red")
    second = said.last.results[1].id
    assistant.do(said, [parse_command("select #2"), parse_command("grayscale")], "the second in black and white")
    assistant.do(said, [parse_command("undo"), parse_command("rotate 90")], "in colour again, and turned")
    assert said.last.hand is not None
    assert (said.last.hand.source, said.last.hand.edits) == (second, ("rotate 90",))
    assistant.do(said, [parse_command("undo 2")], "undo both")
    assert said.last.hand == Hand(second, second)
    assert said.last.reply.endswith("This is the picture as it came.")


def test_back_to_the_original(assistant: Assistant):
    said = talk(assistant, "red", "rotate 270", "adjust_attr brightness 20", "back to the original")
    assert said.last.hand is not None
    assert said.last.hand.picture == said.turns[0].results[0].id
    assert said.last.hand.edits == ()


def test_searching_on_with_what_was_cropped(assistant: Assistant, colours: Collection):
    """The left two thirds of the picture are one colour, the right third another; the crop holds only the latter."""
    said = talk(assistant, "red and purple")
    place = names(said.last, colours, 24).index("red-purple") + 1
    assistant.do(said, [parse_command(f"select #{place}"), parse_command("crop 34 0 48 48")], "crop the right")
    assistant.reply(said, "find others like this crop")
    liked = said.last.brief.of("like")[0].picture
    assert liked == said.turns[1].hand.picture
    assistant.revise(said, "off 1.1")
    assert "purple" in names(said.last, colours, 3)


def test_a_crop_that_changes_nothing_is_not_done(assistant: Assistant, colours: Collection):
    said = talk(assistant, "red", "select #1")
    picture = colours.picture(said.last.hand.picture)
    assistant.reply(said, f"crop {picture.width}:{picture.height}")
    assert "Done" not in said.last.reply
    assert "Nothing would change" in said.last.reply
    assert said.last.hand is not None
    assert said.last.hand.edits == ()


def test_a_question_before_an_edit_is_answered(assistant: Assistant):
    said = talk(assistant, "red", "select #1", "rotate it by 90 degrees")
    assert said.last.question is not None
    assert said.last.hand is not None
    assert said.last.hand.edits == ()
    assistant.reply(said, "clockwise")
    assert said.last.hand is not None
    assert said.last.hand.edits == ("rotate 270",)
    assert said.last.answered == said.turns[2].question


def test_the_same_edits_on_the_next_pictures(assistant: Assistant, colours: Collection):
    said = talk(assistant, "red", "select #1", "rotate 270")
    assistant.do(said, [parse_command("repeat next 2")])
    made = [colours.picture(result.id) for result in said.last.results]
    assert [picture.origin.source_id for picture in made] == ids(said.turns[0])[1:3]
    assert all(picture.origin.commands == ("rotate 270",) for picture in made)


def test_saving_stays_in_its_folder_and_overwrites_nothing(assistant: Assistant, tmp_path: Path):
    said = talk(assistant, "red")
    for _ in range(2):
        assistant.do(said, [parse_command('export "../../outside.png"')])
    assert sorted(path.name for path in (tmp_path / "saved").iterdir()) == ["outside-2.png", "outside.png"]
    assert not (tmp_path.parent / "outside.png").exists()


def test_editing_before_searching_is_answered(assistant: Assistant):
    said = talk(assistant)
    turn = assistant.do(said, [parse_command("rotate 90")])
    assert "no picture to edit" in turn.reply


# -- memory ------------------------------------------------------------------------------------------------


def test_a_replay_gives_the_same_rankings(assistant: Assistant):
    said = talk(assistant, "red", "no blue", "under 90", "go back to turn 1", "rotate 270", "undo", "surprise me")
    assistant.revise(said, "weight 1.1 2")
    again = assistant.replay(assistant.replay(said))
    for before, after in zip(said.turns, again.turns, strict=True):
        assert ids(before) == ids(after), before.message
        assert before.brief == after.brief
        assert before.hand == after.hand


def test_a_conversation_goes_on_when_it_is_opened_again(own_home: Path):
    with open_colours(own_home) as collection:
        said = talk(Assistant(collection), "red", "under 90")
    with open_colours(own_home) as reopened:
        other = Assistant(reopened)
        resumed = other.memory.load(said.id)
        other.reply(resumed, "go back to turn 1")
        assert ids(resumed.last) == ids(said.turns[0])


def test_the_json_reply_has_what_scripts_need(assistant: Assistant):
    said = talk(assistant, "red")
    assistant.do(said, [parse_command("avoid blue")], "no blue")
    value = reply_json(said.last, assistant.collection)
    assert {"turn", "commands", "results", "reply", "question", "brief"} <= set(value)
    assert value["turn"] == 2
    assert value["commands"] == ["avoid blue"]
    first = value["results"][0]
    assert {"id", "path", "score", "because"} <= set(first)
    assert Path(first["path"]).is_file()
    assert [wish["id"] for wish in value["brief"]["wishes"]] == ["1.1", "2.1"]


def test_the_cost_of_a_turn_does_not_grow_with_the_conversation(assistant: Assistant):
    """Back and forth: the last turns take no more of the processor than a few times what the first ones took."""
    said = assistant.start()
    seconds = []
    for number in range(120):
        message = ("in red", "in blue", "under 90", "undo", "go back to turn 1", "thanks")[number % 6]
        started = time.process_time()  # not by the clock: other processes must not make this test fail
        assistant.reply(said, message)
        seconds.append(time.process_time() - started)
    early, late = statistics.median(seconds[6:36]), statistics.median(seconds[-30:])
    assert late < 2 * early + 0.005


def test_an_edit_given_anew_can_be_undone_step_by_step(assistant: Assistant):
    said = talk(assistant, "red", "select #1", "border 20 white", 'caption "Hi" center')
    assistant.do(said, parse_commands('undo ; caption "Hi" top'), "move it to the top")
    assistant.reply(said, "flip horizontal")
    steps = [turn.hand for turn in said.turns]
    assert steps[4].edits == ("border 20 white", 'caption "Hi" top')  # type: ignore[union-attr]
    for message, expected in (
        ("undo", steps[4]),
        ("undo", steps[3]),
        ("redo", steps[4]),
        ("undo 2", steps[2]),
        ("redo 3", steps[5]),
    ):
        assert assistant.reply(said, message).hand == expected, message


def test_one_of_several_edits_is_given_anew_and_the_others_stay(assistant: Assistant):
    said = talk(assistant, "red", "select #1")
    assistant.do(said, parse_commands("grayscale ; border 20 white"), "make it black and white and add a border")
    assistant.do(said, parse_commands("reset edits ; grayscale ; border 40 white"), "thicker")
    assert said.last.hand.edits == ("grayscale", "border 40 white")  # type: ignore[union-attr]
    assert assistant.reply(said, "undo").hand == said.turns[2].hand
