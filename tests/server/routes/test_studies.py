"""Studies with people over HTTP: consent, five turns, an end, an export that the bench reads."""

from __future__ import annotations

import json

from visavis.lab.evaluation.report import read_runs


def begin(client, **more):
    return client.post("/studies", json={"collection": "colours", "consent": True, **more})


def test_nothing_begins_without_consent(client):
    answer = begin(client, consent=False)
    assert answer.status_code == 422
    assert "consent" in answer.json()["error"]["message"]
    assert begin(client, retriever="nothing").status_code == 422
    assert client.post("/studies", json={"collection": "nowhere", "consent": True}).status_code == 404


def test_a_study_has_five_turns_and_shows_five_pictures(client):
    study = begin(client).json()
    assert (study["most"], study["turns"], study["done"]) == (5, [], False)
    assert study["target"]["caption"] == "", "the person describes what there is to see"
    for number in range(1, 6):
        study = client.post(f"/studies/{study['id']}/messages", json={"text": "search red"}).json()
        assert len(study["turns"]) == number
        assert 0 < len(study["turns"][-1]["results"]) <= 5
    assert study["done"]
    assert "rank" not in json.dumps(study), "the person is not told"
    assert client.post(f"/studies/{study['id']}/messages", json={"text": "search blue"}).status_code == 422
    assert client.get(f"/studies/{study['id']}").json() == study


def test_what_is_said_in_a_study_counts_in_the_quota_of_turns(start):
    """Whoever may only read could begin studies for ever, each a file of its own."""
    with start("keys", turns_a_day=2, heavy_rate=0) as running, running.client("read") as reader:
        study = begin(reader).json()
        assert reader.post(f"/studies/{study['id']}/messages", json={"text": "search red"}).status_code == 200
        assert reader.post(f"/studies/{study['id']}/messages", json={"text": "search blue"}).status_code == 429
        assert begin(reader).status_code == 429


def test_what_was_said_is_exported_as_a_run_that_the_bench_reads(client, tmp_path):
    study = begin(client).json()
    client.post(f"/studies/{study['id']}/messages", json={"text": "search red"})
    ended = client.post(f"/studies/{study['id']}/finish", json={"found": True}).json()
    assert (ended["done"], ended["found"]) == (True, True)
    begin(client)  # one in which nothing was said
    answer = client.get("/studies/export?collection=colours")
    assert "attachment" in answer.headers["content-disposition"]
    file = tmp_path / "study.jsonl"
    file.write_text(answer.text)
    runs = read_runs(file)
    assert [run.setting["user"] for run in runs] == ["people"]
    mine = [one for one in runs[0].conversations if one.target == study["target"]["id"]]
    assert mine[-1].opening == "search red"
    assert len(mine[-1].ranks) == 1
    assert 1 <= mine[-1].ranks[0] <= runs[0].gallery + 1
    assert "owner" not in answer.text


def test_consent_can_be_taken_back(client):
    study = begin(client).json()
    client.post(f"/studies/{study['id']}/messages", json={"text": "search green"})
    before = client.get("/studies/export?collection=colours").text
    assert client.delete(f"/studies/{study['id']}").status_code == 204
    assert client.get(f"/studies/{study['id']}").status_code == 404
    assert client.get(f"/conversations/{study['id']}").status_code == 404
    assert len(client.get("/studies/export?collection=colours").text) < len(before)


def test_nobody_sees_the_study_of_another_and_only_an_admin_exports(keyed):
    with keyed.client("read") as reader, keyed.client("other") as other, keyed.client("admin") as admin:
        study = begin(reader).json()
        assert other.get(f"/studies/{study['id']}").status_code == 404
        assert other.post(f"/studies/{study['id']}/messages", json={"text": "red"}).status_code == 404
        assert other.get("/studies/export?collection=colours").status_code == 403
        assert admin.get("/studies/export?collection=colours").status_code == 200
