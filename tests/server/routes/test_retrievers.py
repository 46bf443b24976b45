"""The choice of a retriever over HTTP; the collection has a tiny encoder, which no learned retriever was made for."""

from __future__ import annotations


def test_retrievers_are_listed_with_why_they_cannot_be_used(client):
    found = client.get("/collections/colours/retrievers").json()["retrievers"]
    assert found[0]["name"] == "composed"
    assert found[0]["missing"] == ""
    others = {one["name"]: one["missing"] for one in found[1:]}
    assert {"drilldown", "chatir"} <= others.keys()
    assert all(others.values())


def test_a_turn_says_what_ranked_it(client, talk):
    turn = client.post(f"/conversations/{talk}/messages", json={"text": "red", "retriever": "composed"}).json()
    assert turn["retriever"] == "composed"
    assert client.get(f"/conversations/{talk}").json()["turns"][0]["retriever"] == "composed"


def test_a_retriever_that_cannot_be_used_is_refused_and_nothing_is_said(client, talk):
    unknown = client.post(f"/conversations/{talk}/messages", json={"text": "red", "retriever": "nothing"})
    assert unknown.status_code in (400, 422)
    unfit = client.post(f"/conversations/{talk}/commands", json={"commands": ["search red"], "retriever": "drilldown"})
    assert unfit.status_code == 404
    changed = client.post(f"/conversations/{talk}/brief", json={"changes": ["retriever nothing"]})
    assert changed.status_code in (400, 422)
    assert client.get(f"/conversations/{talk}").json()["turns"] == []
