from __future__ import annotations

import httpx
import pytest

FRAME = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


def refused(result, words):
    assert result.is_error
    assert words in result.content[0].text


@pytest.mark.parametrize(
    ("key", "status"), [(None, 401), ("vv_wrong", 401), ("read", 200)]
)  # fmt: skip
def test_a_key_is_needed(keyed, key, status):
    headers = dict(HEADERS)
    if key:
        headers["Authorization"] = f"Bearer {keyed.keys.get(key, key)}"
    answer = httpx.post(keyed.url, json=FRAME, headers=headers)
    assert answer.status_code == status
    if status == 401:
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert answer.json()["error"]["remedy"]


def test_the_page_of_another_site_is_refused(local):
    answer = httpx.post(local.url, json=FRAME, headers={**HEADERS, "Origin": "https://elsewhere.example"})
    assert answer.status_code == 403


def test_another_host_name_is_refused_without_a_login(local):
    answer = httpx.post(local.url, json=FRAME, headers={**HEADERS, "Host": "rebound.example"})
    assert answer.status_code == 403


def test_a_reader_searches_and_previews_but_stores_and_indexes_nothing(keyed, tmp_path):
    found = keyed.call("search_pictures", "read", collection="colours", text="red", k=1)
    id = found.structured_content["results"][0]["id"]
    edit = {"collection": "colours", "picture": id, "edits": ["rotate 90"]}
    assert not keyed.call("edit_picture", "read", **edit).is_error
    refused(keyed.call("edit_picture", "read", **edit, preview=False), "needs the role 'write'")
    refused(keyed.call("index_folder", "write", collection="c", folder=str(tmp_path)), "needs the role 'admin'")
    assert not keyed.call("index_folder", "admin", collection="c", folder=str(tmp_path)).is_error


def test_a_reader_cannot_edit_in_words(keyed):
    id = keyed.call("search_pictures", "read", collection="colours", text="red", k=1).structured_content["results"][0][
        "id"
    ]
    said = {"collection": "colours", "message": "make it brighter", "picture": id}
    hand = keyed.call("say", "read", **said).structured_content["hand"]
    assert not (hand or {}).get("edits")
    assert keyed.call("say", "write", **said).structured_content["hand"]["edits"]


def test_a_conversation_belongs_to_its_user(keyed):
    mine = keyed.call("say", "write", collection="colours", message="red").structured_content["conversation"]
    refused(keyed.call("say", "other", conversation=mine, message="blue"), "no conversation")
    assert not keyed.call("say", "write", conversation=mine, message="blue").is_error


def test_the_role_of_the_command_limits_everybody(start):
    with start(role="read") as endpoint:
        refused(endpoint.call("index_folder", collection="c", folder="/"), "needs the role 'admin'; yours is 'read'")


def test_the_rate_limit_holds(start):
    with start("keys", heavy_rate=0.001, heavy_burst=1) as endpoint:
        assert not endpoint.call("search_pictures", "read", collection="colours", text="red").is_error
        refused(endpoint.call("search_pictures", "read", collection="colours", text="red"), "too much at once")


def test_the_daily_quota_of_edits_holds(start):
    with start("keys", rate=0, heavy_rate=0, edits_a_day=1) as endpoint:
        id = endpoint.call("search_pictures", "write", collection="colours", text="red", k=1).structured_content[
            "results"
        ][0]["id"]
        edit = {"collection": "colours", "picture": id, "preview": False}
        assert not endpoint.call("edit_picture", "write", **edit, edits=["rotate 90"]).is_error
        refused(endpoint.call("edit_picture", "write", **edit, edits=["rotate 180"]), "edits are used up")
