"""The facade for Python users, and that every way to search gives the same scores."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from drawing import draw, draw_mixed
from memory_store import MemoryStore
from tiny_encoder import COLOURS, TinyEncoder

import visavis

K = 15


@pytest.fixture(autouse=True)
def tiny_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("visavis.collections.collection._load_encoder", lambda _: TinyEncoder())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the collection "photos": every colour alone and every pair, half of them with a caption."""
    rows = ["file,caption"]
    for one in COLOURS:
        rows.append(f"{draw(tmp_path / 'pictures' / f'{one}.png', one, (48, 48)).name},all {one}")
        for other in COLOURS:
            if one != other:
                file = draw_mixed(tmp_path / "pictures" / f"{one}-{other}.png", one, other)
                rows += [f"{file.name},{one} and {other}"] if one < other else []
    (tmp_path / "pictures" / "captions.csv").write_text("\n".join(rows) + "\n")
    with visavis.open_collection("photos", tmp_path / "home", create=True) as photos:
        photos.index(tmp_path / "pictures")
        assert len(photos) > 60
    return tmp_path / "home"


def by_python(home: Path, words: str) -> dict[str, float]:
    with visavis.open_collection("photos", home) as photos:
        found = photos.search(words, K, all_copies=True).results
    return {one.picture.id: one.score for one in found}


def by_command_line(home: Path, words: str, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> dict:
    from visavis.cli.main import main

    arguments = ["search", words, "-c", "photos", "-k", str(K), "--json", "--nearest", "--all-copies"]
    patch.setattr("sys.argv", ["visavis", *arguments, "--home", str(home)])
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main()
    return {one["id"]: one["score"] for one in json.loads(capsys.readouterr().out)["results"]}


def by_http(home: Path, words: str) -> dict[str, float]:
    httpx = pytest.importorskip("httpx")
    from visavis.server.app import create_app
    from visavis.server.runner import serving
    from visavis.server.settings import ServerSettings

    settings = ServerSettings.of(home, mode="local")
    with serving(settings, create_app(settings)) as url:
        answer = httpx.post(f"{url}/api/v1/collections/photos/search", json={"text": words, "k": K}, timeout=60)
    return {one["id"]: one["score"] for one in answer.json()["results"]}


def by_conversation(home: Path, words: str) -> dict[str, float]:
    from visavis.assistant import Assistant

    with visavis.open_collection("photos", home) as photos:
        assistant = Assistant(photos)
        conversation = assistant.start()
        turn = assistant.reply(conversation, words)
        assert [wish.text for wish in turn.brief.wishes] == [words], "the message is understood as these words"
    return {one.id: one.score for one in turn.results[:K]}


@pytest.mark.parametrize("words", ["red", "red and blue"])
def test_the_same_words_give_the_same_scores_however_they_are_said(home: Path, words: str, capsys, monkeypatch):
    in_python = by_python(home, words)
    in_conversation = by_conversation(home, words)
    assert list(in_python) == list(in_conversation)
    assert len(in_python) == K
    assert in_python == pytest.approx(in_conversation, abs=1e-6)
    assert by_command_line(home, words, capsys, monkeypatch) == pytest.approx(in_python, abs=1e-6)
    over_http = by_http(home, words)
    assert over_http
    assert over_http == pytest.approx({id: in_python[id] for id in over_http if id in in_python}, abs=1e-6)


def test_near_duplicates_are_folded_unless_all_are_wanted(tmp_path: Path):
    for number in range(3):
        draw(tmp_path / "pictures" / f"{number}.png", (200, 0, number))
    with visavis.open_collection("photos", tmp_path / "home", MemoryStore(), create=True) as photos:
        photos.index(tmp_path / "pictures")
        folded, all_copies = photos.search("red"), photos.search("red", all_copies=True)
    assert [len(one.folded) for one in folded.results] == [2]
    assert len(all_copies.results) == 3


def test_importing_visavis_is_light_and_offers_its_names():
    heavy = "{'sqlalchemy', 'numpy', 'PIL', 'onnxruntime', 'qdrant_edge'}"
    code = f"import sys, visavis; assert not {heavy} & set(sys.modules); assert visavis.open_collection"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert set(visavis.__all__) <= set(dir(visavis))
    with pytest.raises(AttributeError):
        _ = visavis.nonsense
