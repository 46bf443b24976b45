from __future__ import annotations

import io
from base64 import b64decode

import pytest
from drawing import draw
from PIL import Image
from serving import eventually

TOOLS = {
    "list_collections",
    "search_pictures",
    "say",
    "revise_wish",
    "explain_result",
    "get_picture",
    "edit_picture",
    "index_folder",
}


def told(result):
    assert not result.is_error, result.content
    return result.structured_content


def images(result):
    return [block for block in result.content if block.type == "image"]


def links(result):
    return [block for block in result.content if block.type == "resource_link"]


def opened(block):
    return Image.open(io.BytesIO(b64decode(block.data)))


def first(local, text="red"):
    return told(local.call("search_pictures", collection="colours", text=text, k=1))["results"][0]["id"]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_is_listed_with_its_schemas_and_hints(local, mode):
    listed = {tool.name: tool for tool in local.talk(lambda client: client.list_tools(), mode=mode).tools}
    assert set(listed) == TOOLS
    assert all(tool.output_schema and tool.title and tool.description for tool in listed.values())
    reading = {name for name, tool in listed.items() if tool.annotations.read_only_hint}
    assert reading == {"list_collections", "search_pictures", "explain_result", "get_picture"}
    assert not any(tool.annotations.destructive_hint for tool in listed.values())
    assert "adjust_attr brightness" in listed["edit_picture"].description
    assert listed["edit_picture"].input_schema["properties"]["preview"]["default"] is True
    assert listed["index_folder"].input_schema["properties"]["dry_run"]["default"] is True
    assert "call" not in listed["say"].input_schema["properties"]


def test_collections_are_listed(local):
    found = told(local.call("list_collections"))["collections"]
    assert [(one["name"], one["pictures"]) for one in found if one["name"] == "colours"] == [("colours", 24)]


def test_a_search_has_results_with_thumbnails_and_links(local):
    result = local.call("search_pictures", collection="colours", text="red", k=4, thumbnails=2)
    found = told(result)
    assert len(found["results"]) == 4
    assert found["results"][0]["because"][0]["text"] == "red"
    assert len(images(result)) == len(links(result)) == 2
    assert images(result)[0].mime_type == "image/webp"
    assert opened(images(result)[0]).format == "WEBP"
    assert result.content[0].type == "text"
    assert found["results"][0]["id"] in result.content[0].text


def test_a_search_is_filtered_and_excludes(local):
    found = told(local.call("search_pictures", collection="colours", text="red", filter="price < 12", k=24))
    every = told(local.call("search_pictures", collection="colours", text="red", k=24))
    assert 0 < len(found["results"]) < len(every["results"])


def test_the_link_leads_to_the_original(local):
    link = links(local.call("search_pictures", collection="colours", text="red", k=1))[0]
    contents = local.talk(lambda client: client.read_resource(link.uri)).contents
    assert contents[0].mime_type == link.mime_type == "image/png"
    assert Image.open(io.BytesIO(b64decode(contents[0].blob))).format == "PNG"


def test_a_conversation_keeps_its_brief_and_a_wish_is_revised(local):
    one = told(local.call("say", collection="colours", message="red"))
    assert one["turn"] == 1
    assert one["reply"]
    assert one["results"]
    wish = one["brief"][0]
    assert (wish["text"], wish["active"]) == ("red", True)
    two = told(local.call("revise_wish", conversation=one["conversation"], wish=wish["id"], change="off"))
    assert (two["turn"], two["brief"][0]["active"]) == (2, False)
    three = told(
        local.call("revise_wish", conversation=one["conversation"], wish=wish["id"], change="weight", weight=2)
    )
    assert three["brief"][0]["weight"] == 2


def test_a_message_can_edit_a_copy(local):
    id = first(local)
    made = told(local.call("say", collection="colours", message="make it brighter", picture=id))
    assert made["hand"]["source"] == id
    assert made["hand"]["picture"] != id
    assert made["hand"]["edits"]


def test_a_result_is_explained_in_a_conversation_and_for_a_search(local):
    one = told(local.call("say", collection="colours", message="red"))
    id = one["results"][0]["id"]
    found = told(local.call("explain_result", picture=id, conversation=one["conversation"]))
    assert found["place"] == 1
    assert found["reasons"][0]["wish"] == one["brief"][0]["id"]
    assert "red" in found["summary"]
    deep = told(local.call("search_pictures", collection="colours", text="red", k=24, thumbnails=0))["results"][-1]
    last = told(local.call("explain_result", picture=deep["id"], collection="colours", text="red"))
    assert last["place"] == 24
    assert last["reasons"][0]["text"] == "red"


def test_a_picture_is_shown_with_what_is_known_of_it(local):
    id = first(local)
    result = local.call("get_picture", collection="colours", picture=id[:12])
    found = told(result)
    assert found["id"] == id
    assert "price" in found["attributes"]
    assert len(images(result)) == len(links(result)) == 1


def test_an_edit_is_a_preview_until_it_is_asked_to_stay(start):
    with start() as own:
        id = first(own)
        before = told(own.call("get_picture", collection="colours", picture=id))
        result = own.call("edit_picture", collection="colours", picture=id, edits=["rotate 90", "grayscale"])
        found = told(result)
        assert (found["preview"], found["picture"]) == (True, None)
        assert found["applied"] == ["rotate 90", "grayscale"]
        shown = opened(images(result)[0])
        assert shown.size == (before["height"], before["width"])
        made = told(own.call("edit_picture", collection="colours", picture=id, edits=["rotate 90"], preview=False))
        assert made["picture"]["source_id"] == id
        assert made["picture"]["edits"] == ["rotate 90"]
        assert told(own.call("get_picture", collection="colours", picture=id)) == before
        assert told(own.call("get_picture", collection="colours", picture=made["picture"]["id"]))["edits"]


def test_indexing_is_a_dry_run_until_it_is_asked_for(start, tmp_path):
    for colour in ("red", "blue"):
        draw(tmp_path / "new" / f"{colour}.png", colour)
    with start() as own:
        plan = told(own.call("index_folder", collection="fresh", folder=str(tmp_path / "new")))
        assert (plan["dry_run"], plan["new_collection"], plan["files"], plan["new"]) == (True, True, 2, 2)
        assert [one["name"] for one in told(own.call("list_collections"))["collections"]] == ["colours"]
        begun = told(own.call("index_folder", collection="fresh", folder=str(tmp_path / "new"), dry_run=False))
        assert begun["job"]["collection"] == "fresh"
        assert eventually(lambda: next(job for job in told(own.call("list_collections"))["jobs"])["state"] == "done")
        draw(tmp_path / "new" / "green.png", "green")
        again = told(own.call("index_folder", collection="fresh", folder=str(tmp_path / "new")))
        assert (again["new_collection"], again["files"], again["new"]) == (False, 3, 1)
        assert [one.rsplit("/", 1)[-1] for one in again["examples"]] == ["green.png"]


@pytest.mark.parametrize(
    ("tool", "arguments", "message", "remedy"),
    [
        ("search_pictures", {"collection": "nowhere", "text": "red"}, "nowhere", "colours"),
        ("search_pictures", {"collection": "colours"}, "nothing to search for", "Give a text"),
        ("say", {"message": "red"}, "nothing to talk about", "list_collections"),
        ("say", {"message": "red", "conversation": "0" * 32}, "no conversation", "See your conversations"),
        ("get_picture", {"collection": "colours", "picture": "0" * 32}, "no picture", "Search for it"),
        ("explain_result", {"picture": "0" * 32}, "belongs to", "Give one of the two"),
        ("index_folder", {"collection": "c", "folder": "/no/such/folder"}, "no file or folder", "Check the path"),
    ],
)  # fmt: skip
def test_an_error_names_its_remedy(local, tool, arguments, message, remedy):
    result = local.call(tool, **arguments)
    assert result.is_error
    text = result.content[0].text
    assert message in text
    assert remedy in text


def test_an_unknown_edit_is_refused_in_words(local):
    result = local.call("edit_picture", collection="colours", picture=first(local), edits=["frobnicate 3"])
    assert result.is_error
    assert "frobnicate" in result.content[0].text
