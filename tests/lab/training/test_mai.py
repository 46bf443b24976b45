"""A tiny run of MAI's training: log, checkpoint, resumption, export; the runtime gives what torch gives."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from visavis.conversation.history import Round  # noqa: E402
from visavis.encoders.builtin import WEIGHTS, BuiltinEncoder  # noqa: E402
from visavis.lab.datasets.multiturn import Request, Session  # noqa: E402
from visavis.lab.networks.mai import Mai, MaiShape  # noqa: E402
from visavis.lab.networks.towers import TorchTextEncoder  # noqa: E402
from visavis.lab.training import mai  # noqa: E402
from visavis.lab.training.mai_figures import HeldOut, ranks_of  # noqa: E402
from visavis.lab.training.mai_material import picture_table, play, resolved, roles_of, session_tables, text_table  # noqa: E402  # noqa: E402
from visavis.lab.training.product_vectors import part_of  # noqa: E402
from visavis.lab.training.retriever_export import export_mai  # noqa: E402
from visavis.search.learned.mai import MaiReader, references_of, request_of  # noqa: E402

pytestmark = pytest.mark.train
COLOURS, PATTERNS, BRANDS = ("Red", "Blue", "White", "Black"), ("Printed", "Striped", "Check"), ("Nike", "Puma", "Fila")
COLUMNS = ("id", "gender", "articleType", "baseColour", "usage", "productDisplayName")
REGIONS = 3
#: Ten products that are named below, and some of each part.
IDS = [*range(1000, 1010)]
for _part, _number in (("train", 30), ("validation", 12), ("held", 12)):
    IDS += [id for id in range(1010, 3000) if part_of(str(id)) == _part][:_number]


@pytest.fixture(scope="module")
def encoder() -> BuiltinEncoder:
    return BuiltinEncoder(threads=1)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Shirts, a dozen or more for each part; their vectors are sums of a vector for each attribute."""
    folder = tmp_path_factory.mktemp("products")
    chance = np.random.default_rng(0)
    known = {name: chance.normal(size=256) for name in (*COLOURS, *PATTERNS, *BRANDS)}
    vectors = []
    with (folder / "styles.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for id in IDS:
            named = [str(chance.choice(values)) for values in (COLOURS, PATTERNS, BRANDS)]
            title = f"{named[2]} Men {named[1]} {named[0]} Shirt"
            rows.writerow((id, "Men", "Shirts", named[0], "Casual", title))
            vectors.append(sum(known[name] for name in named) + 0.1 * chance.normal(size=256))
    whole = np.stack(vectors)
    whole /= np.linalg.norm(whole, axis=1, keepdims=True)
    (folder / "ids.json").write_text(json.dumps(IDS))
    np.save(folder / "whole.npy", whole.astype(np.float16))
    np.save(folder / "regions.npy", np.repeat(whole[:, None], REGIONS, axis=1).astype(np.float16))
    return folder


def test_mai_trains_goes_on_and_ships(data: Path, tmp_path: Path, encoder: BuiltinEncoder):
    given = {"made": 24, "validated": 8, "each": 16, "batch": 8, "tokens": 4, "device": "cpu"}
    run = tmp_path / "run"
    mai.run(mai.MaiSettings(data, data, run, epochs=1, towers=WEIGHTS, **given))
    figures = mai.run(mai.MaiSettings(data, data, run, epochs=2, towers=WEIGHTS, **given))
    rows = [json.loads(line) for line in (run / "full" / "log.jsonl").read_text().splitlines()]
    assert [row["epoch"] for row in rows] == [1, 2], "the second run went on after the first"
    assert figures["encoder"] == encoder.fingerprint
    assert figures["rows"]["full"]["whole gallery"]["gallery"] == len(IDS)
    assert set(figures["rows"]["full"]["rollback untrained"]) == {"replace", "ignore", "random", "blend"}
    reader = MaiReader(encoder, run / "ship")
    vectors = np.load(data / "whole.npy").astype(np.float32)
    assert reader.targets(vectors[:20], np.repeat(vectors[:20, None], REGIONS, axis=1)).shape == (20, 256)


def made_tables(data: Path):
    """Two sessions of three turns: one goes back by describing, one combines."""
    sessions = [
        Session(
            ("1000", "1001", "1002", "1003"),
            (Request("is blue"), Request("is striped"), Request("the red one, but by puma", "rollback", (0,))),
            ("", "", "", ""),
        ),
        Session(
            ("", "1005", "1006", "1007"),
            (Request("red shirts"), Request("in black"), Request("keep the colour", "combination", (1,))),
            ("", "", "", ""),
        ),
    ]
    texts = TorchTextEncoder(WEIGHTS, WEIGHTS / "tokenizer.json", "cpu")
    captions = {str(id): f"shirt number {id}" for id in range(1000, 1010)}
    pictures = picture_table(data, captions, texts, WEIGHTS, "cpu")
    said = [request.text for one in sessions for request in one.requests]
    numbers = {id: number for number, id in enumerate(pictures.ids)}
    tables = session_tables(sessions, numbers, {text: at for at, text in enumerate(said)}, "cpu")
    return tables[3], pictures, text_table(said, texts, "cpu")


def test_the_settings_of_rollback_are_those_of_table_9(data: Path):
    sessions, pictures, texts = made_tables(data)
    assert resolved(sessions, 2, "replace")[:, 0].tolist() == [0, 2]
    assert resolved(sessions, 2, "ignore")[:, 0].tolist() == [2, 2]
    drawn = {int(resolved(sessions, 2, "random", torch.Generator().manual_seed(at))[0, 0]) for at in range(20)}
    assert drawn == {0, 1, 2}
    assert sessions.references[1, 2].tolist() == [2, 1, -1]
    model = Mai(MaiShape(4, regions=REGIONS)).eval()
    played = {how: list(play(model, sessions, pictures, texts, how=how))[-1] for how in ("replace", "ignore", "blend")}
    assert torch.equal(played["replace"].reference[0], pictures.whole[1].float())
    middle = torch.nn.functional.normalize(pictures.whole[1].float() + pictures.whole[3].float(), dim=-1)
    assert torch.allclose(played["blend"].reference[0], middle, atol=1e-3)
    assert not torch.allclose(played["replace"].query[0], played["ignore"].query[0])
    held = torch.tensor([[1, 2, 3, 4]])
    assert roles_of(held, torch.tensor([[2, 0, -1]])).tolist() == [[2, 0, 1, 0]]


def test_ranks_are_counted_in_the_gallery(data: Path):
    sessions, pictures, texts = made_tables(data)
    model = Mai(MaiShape(4, regions=REGIONS)).eval()
    gallery = torch.arange(1, len(pictures.ids))
    found = ranks_of(model, HeldOut({3: sessions}, gallery), pictures, texts, stored=True)
    query = list(play(model, sessions, pictures, texts))[-1].query
    scores = query @ torch.nn.functional.normalize(pictures.whole[1:].float(), dim=-1).T
    for row, target in enumerate(sessions.pictures[:, -1]):
        assert found.ranks[row] == 1 + (scores[row] > scores[row, target - 1]).sum()


def test_noise_moves_requests_and_the_first_turn_stands_alone(data: Path):
    sessions, pictures, texts = made_tables(data)
    numbers = torch.arange(3)
    tokens, mask, whole = texts.read(numbers)
    torch.manual_seed(0)
    noisy = replace(texts, noise=True).read(numbers)
    assert torch.equal(noisy[1], mask)
    assert not torch.allclose(noisy[0], tokens)
    assert torch.nn.functional.cosine_similarity(noisy[2], whole).min() > 0.5
    first = sessions.first_turn()
    assert first.turns == 1
    model = Mai(MaiShape(4, regions=REGIONS)).eval()
    (alone,) = play(model, first, pictures, texts)
    assert torch.allclose(alone.query, next(iter(play(model, sessions, pictures, texts))).query, atol=1e-5)


def test_the_runtime_is_the_same_as_torch(data: Path, tmp_path: Path, encoder: BuiltinEncoder):
    torch.manual_seed(3)
    sessions, pictures, texts = made_tables(data)
    model = Mai(MaiShape(4, regions=REGIONS)).eval()
    for linear in (model.reference_head, model.target_head):
        torch.nn.init.normal_(linear.weight, std=0.05)
    export_mai(model, encoder.fingerprint, tmp_path, {})
    places = {id: place for place, id in enumerate(pictures.ids)}
    read: list[str] = []

    def vectors(ids):
        read.extend(ids)
        chosen = [places[id] for id in ids]
        return pictures.whole[chosen].float().numpy(), pictures.regions[chosen].float().numpy()

    reader = MaiReader(encoder, tmp_path)
    reader.use_captions(lambda ids: [f"shirt number {id}" for id in ids])
    said = ("is blue", "is striped", "the red one, but by puma")
    spoken = (("1000",), ("1001",), ("1000",))
    with torch.no_grad():
        wanted = [turn.query[0].numpy() for turn in play(model, sessions.rows(torch.tensor([0])), pictures, texts)]
    for number in (1, 2, 3):
        found = reader.query(spoken[:number], said[number - 1], vectors)
        assert float(found @ wanted[number - 1]) > 0.99
    assert reader.updates == 3, "a turn costs one update"
    chosen = torch.arange(1, 9)
    with torch.no_grad():
        whole, regions, caption, mask = pictures.read(chosen)
        targets = model.target(whole, model.gather_picture(whole, regions, caption, mask)).numpy()
    ids = [pictures.ids[place] for place in chosen]
    got = reader.targets(*vectors(ids), ids)
    assert (got * targets).sum(axis=1).min() > 0.99
    assert np.allclose(got, np.concatenate([reader.targets(*vectors([id]), [id]) for id in ids]))
    plain = reader.targets(*vectors(ids))
    assert not np.allclose(plain, got, atol=1e-3), "without ids there are no captions"


def test_wishes_add_up_and_the_last_picture_pointed_at_is_the_reference(tmp_path: Path, encoder: BuiltinEncoder):
    export_mai(Mai(MaiShape(4, regions=REGIONS)).eval(), encoder.fingerprint, tmp_path, {})
    reader = MaiReader(encoder, tmp_path)
    shown = dict(zip("ab", encoder.encode_texts(["white lace", "red leather"]), strict=True))

    def vectors(ids):
        whole = np.stack([shown[id] for id in ids])
        return whole, np.repeat(whole[:, None], REGIONS, axis=1)

    rounds = [Round(1, "tops"), Round(2, "red", shown=("b", "a")), Round(3, "blue")]
    assert np.allclose(reader.vector(rounds, vectors), reader.query((("",),), "tops, red, blue", vectors))
    liked = [*rounds, Round(4, "", pointed=("b",)), Round(5, "longer")]
    assert np.allclose(reader.vector(liked, vectors), reader.query((("b",),), "tops, red, blue, longer", vectors))


def test_what_a_round_speaks_of():
    assert references_of(Round(2, "blue", shown=("a", "b"))) == (), "what was shown was not chosen"
    assert references_of(Round(3, "blue", shown=("a",), pointed=("c",))) == ("c",)
    kept = Round(4, "longer", pointed=("b", "a", "c"), kept=(("colour", "b"), ("pattern", "c")))
    assert references_of(kept) == ("a", "b", "c")
    assert request_of(kept, {"a": 3, "b": 1, "c": 9}) == (
        "longer, keep the colour of the first, keep the pattern of the seventh"
    )
    assert request_of(Round(1, "", kept=(("", "b"),)), {"b": 1}) == "keep the look of the first"
