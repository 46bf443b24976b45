"""Fashion IQ's networks against slow references written from the formulas; what they learn, and what they ignore."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional as F  # noqa: E402

from visavis.lab.networks.captioner import (  # noqa: E402
    BEGIN,
    END,
    PAD,
    CaptionerShape,
    CaptionVocabulary,
    Pair,
    RecurrentCaptioner,
    TransformerCaptioner,
    caption_loss,
)
from visavis.lab.networks.drilldown import triplet_loss  # noqa: E402
from visavis.lab.networks.fashioniq import (  # noqa: E402
    MODELS,
    AttributePredictor,
    DialogRetriever,
    History,
    RecurrentRetriever,
    RetrieverShape,
    SingleTurn,
    SingleTurnShape,
    average_precisions,
    top_attributes,
)
from visavis.lab.networks.transformer import Attention, TransformerBlock, hide, hide_later  # noqa: E402

pytestmark = pytest.mark.train

SHAPE = RetrieverShape(
    attributes=5, dimension=8, tokens=6, width=16, layers=2, heads=4, inner=32, turns=4, words=4, dropout=0.0
)
WRITES = CaptionerShape(words=12, dimension=8, width=16, layers=1, heads=2, inner=32, dropout=0.0)


def norm(module: torch.nn.LayerNorm, x: torch.Tensor) -> torch.Tensor:
    mean, spread = x.mean(), x.var(unbiased=False)
    return (x - mean) / torch.sqrt(spread + module.eps) * module.weight + module.bias


def attended(attention: Attention, x: list[torch.Tensor], over: list[torch.Tensor], seen: list[list[bool]]):
    """softmax(q k / sqrt(d)) v, a head and a place at a time."""
    each = len(x[0]) // attention.heads
    made = []
    for place, one in enumerate(x):
        parts = []
        for head in range(attention.heads):
            part = slice(head * each, (head + 1) * each)
            query = attention.query(one)[part]
            logits = [float(query @ attention.key(other)[part]) / math.sqrt(each) for other in over]
            weights = [math.exp(logit) if seen[place][at] else 0.0 for at, logit in enumerate(logits)]
            values = [attention.value(other)[part] for other in over]
            parts.append(sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights))
        made.append(attention.out(torch.cat(parts)))
    return made


def test_a_block_place_by_place():
    torch.manual_seed(0)
    block = TransformerBlock(16, 4, 32, 0.0, crossed=True)
    x, over = torch.randn(1, 3, 16), torch.randn(1, 2, 16)
    with torch.no_grad():
        got = block(x, hide_later(3, x), over, hide(torch.tensor([[1.0, 0.0]])))[0]
        normal = [norm(block.norm1, one) for one in x[0]]
        own = attended(block.own, normal, normal, [[at <= place for at in range(3)] for place in range(3)])
        rows = [one + change for one, change in zip(x[0], own, strict=True)]
        crossed = attended(block.other, [norm(block.norm2, one) for one in rows], list(over[0]), [[True, False]] * 3)
        rows = [one + change for one, change in zip(rows, crossed, strict=True)]
        wanted = [one + block.fc2(F.relu(block.fc1(norm(block.norm3, one)))) for one in rows]
    assert torch.allclose(got, torch.stack(wanted), atol=1e-5)


def history(turns: int = 3, number: int = 2) -> History:
    torch.manual_seed(1)
    return History(
        torch.randn(number, turns, 4, 6),
        torch.tensor([1.0, 1, 1, 0]).expand(number, turns, 4).clone(),
        F.normalize(torch.randn(number, turns, 8), dim=-1),
        torch.randint(0, 5, (number, turns, 3)),
        torch.ones(number, turns),
        F.normalize(torch.randn(number, 8), dim=-1),
    )


def awake(model):
    torch.nn.init.normal_(model.out.weight)
    return model.eval()


def test_a_new_retriever_gives_what_the_tower_reads_of_the_feedback():
    for model in (DialogRetriever(SHAPE), RecurrentRetriever(SHAPE)):
        assert torch.allclose(model.eval()(history()), history().said, atol=1e-6)


def test_what_is_not_there_is_not_read():
    model = awake(DialogRetriever(SHAPE))
    one = history()
    seen = torch.tensor([[0.0, 1, 1]] * 2)
    wanted = model(one._replace(seen=seen))
    words, pictures, named = one.words.clone(), one.pictures.clone(), one.attributes.clone()
    words[:, :, 3], pictures[:, 0], named[:, 0] = 9.0, 9.0, 4
    got = model(one._replace(words=words, pictures=pictures, attributes=named, seen=seen))
    assert torch.allclose(wanted, got, atol=1e-5)
    assert not torch.allclose(wanted, model(one), atol=1e-3)


def test_the_sequence_is_words_picture_and_attributes_of_every_turn():
    model, one = DialogRetriever(SHAPE), history(2, 1)
    x, mask = model.tokens(one)
    assert x.shape == (1, 2 * (4 + 1 + 3), 16)
    picture = model.pictures(one.pictures[0, 1] * 8**0.5) + model.kinds.weight[1] + model.turns.weight[0]
    assert torch.allclose(x[0, 8 + 4], picture, atol=1e-5), "the newest turn has number 0"
    named = model.attributes.weight[one.attributes[0, 0, 1]] + model.kinds.weight[2] + model.turns.weight[1]
    assert torch.allclose(x[0, 4 + 1 + 1], named, atol=1e-5)
    assert mask[0].tolist() == [1, 1, 1, 0, 1, 1, 1, 1] * 2
    without = DialogRetriever(replace(SHAPE, attributes=0, layers=1))
    assert without.tokens(one)[0].shape[1] == 2 * 5


def test_more_turns_than_are_told_apart_are_read():
    assert awake(DialogRetriever(SHAPE))(history(6)).shape == (2, 8)


@pytest.mark.parametrize("make", [DialogRetriever, RecurrentRetriever])
def test_64_dialogues_are_learned_by_heart_and_gradients_flow(make):
    one = history(2, 64)
    model = make(replace(SHAPE, layers=1))
    pictures = F.normalize(torch.randn(64, 8), dim=-1)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    before = triplet_loss(model(one) @ pictures.T).item()
    for _ in range(60):
        loss = triplet_loss(model(one) @ pictures.T)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.6 * before
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_the_recurrent_retriever_turn_by_turn():
    model, one = awake(RecurrentRetriever(SHAPE)), history()
    gru = model.history
    with torch.no_grad():
        got = model(one)[0]
        state = torch.zeros(16)
        for turn in range(3):
            words = torch.stack([model.words(word) for word in one.words[0, turn, :3]]).mean(dim=0)
            picture = model.pictures(one.pictures[0, turn] * math.sqrt(8)) * one.seen[0, turn]
            x = F.relu(model.turn(torch.cat([words, picture])))
            given, old = gru.weight_ih_l0 @ x + gru.bias_ih_l0, gru.weight_hh_l0 @ state + gru.bias_hh_l0
            r, z = (torch.sigmoid(given[i : i + 16] + old[i : i + 16]) for i in (0, 16))
            state = (1 - z) * torch.tanh(given[32:] + r * old[32:]) + z * state
        wanted = one.said[0] + model.out(state)
    assert torch.allclose(got, wanted / wanted.norm(), atol=1e-5)


def test_the_predictor_reads_the_whole_and_its_regions():
    torch.manual_seed(0)
    model = AttributePredictor(3, 4, 6).eval()
    whole, regions = torch.randn(1, 4), torch.randn(1, 2, 4)
    mean, most = (regions[0, 0] + regions[0, 1]) / 2, torch.maximum(regions[0, 0], regions[0, 1])
    inner = model.fc1.weight @ (2.0 * torch.cat([whole[0], mean, most])) + model.fc1.bias
    wanted = model.fc2.weight @ F.gelu(inner) + model.fc2.bias
    assert torch.allclose(model(whole, regions)[0], wanted, atol=1e-5)


def test_average_precision_by_hand():
    scores = torch.tensor([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]])
    labels = torch.tensor([[1.0, 0], [0, 0], [1, 0]])
    found = average_precisions(scores, labels)
    assert found[0].item() == pytest.approx((1 + 2 / 3) / 2)
    assert found[1].isnan()
    assert top_attributes(scores, 1).flatten().tolist() == [0, 0, 0]


def test_the_attribute_predictor_learns_64_pictures():
    torch.manual_seed(0)
    whole, regions = F.normalize(torch.randn(64, 8), dim=-1), F.normalize(torch.randn(64, 4, 8), dim=-1)
    labels = (torch.rand(64, 6) < 0.3).float()
    model = AttributePredictor(6, 8, 64, dropout=0.0)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(200):
        loss = F.binary_cross_entropy_with_logits(model(whole, regions), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.1


def pairs(number: int = 4) -> Pair:
    torch.manual_seed(2)
    rows = torch.randint(0, 12, (2, number, 8, 3))
    rows[:, :, 2:] = PAD
    return Pair(torch.zeros(number, dtype=torch.long), torch.randn(number, 8), torch.ones(number), rows[0], rows[1])


@pytest.mark.parametrize("make", [TransformerCaptioner, RecurrentCaptioner])
def test_captions_are_learned_by_heart_and_decoded(make):
    model, pair = make(WRITES), pairs()
    words = torch.tensor([[BEGIN, 5, 6, END, PAD], [BEGIN, 7, END, PAD, PAD], [BEGIN, 8, 9, 10, END], [BEGIN, 11, 4, END, PAD]])  # fmt: skip  # noqa: E501
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(120):
        loss = caption_loss(model, pair, words, 0.0)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    model.eval()
    wanted = [row[1 : row.index(END) + 1] for row in words.tolist()]
    for decoded in (model.greedy(pair, 5), model.beam(pair, 3, 5)):
        assert [row[: row.index(END) + 1] for row in decoded.tolist()] == wanted


@pytest.mark.parametrize("make", [TransformerCaptioner, RecurrentCaptioner])
def test_64_captions_are_learned_by_heart_and_gradients_flow(make):
    model, pair = make(WRITES), pairs(64)
    words = torch.randint(END + 2, 12, (64, 4))
    words = torch.cat([torch.full((64, 1), BEGIN), words, torch.full((64, 1), END)], dim=1)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    before = caption_loss(model, pair, words, 0.0).item()
    for _ in range(120):
        loss = caption_loss(model, pair, words, 0.0)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.5 * before
    without = ("unseen",)  # all pairs have pictures
    assert all(one.grad is not None for name, one in model.named_parameters() if name not in without)


def test_the_recurrent_captioner_word_by_word():
    torch.manual_seed(6)
    model, pair = RecurrentCaptioner(WRITES).eval(), pairs(1)
    words = torch.tensor([[BEGIN, 5, 7]])
    gru = model.recurrent
    with torch.no_grad():
        got = model(pair, words)[0]
        sides = [model.attribute_vectors(rows)[0][0, :2].mean(dim=0) * 4.0 for rows in (pair.reference, pair.target)]
        sides = [side + model.sides.weight[at] for at, side in enumerate(sides)]
        seen = model.difference(pair.difference[0] * math.sqrt(8))
        state = torch.tanh(model.begin(torch.cat([model.sources.weight[0], seen, *sides])))
        for place, number in enumerate((BEGIN, 5, 7)):
            x = model.words.weight[number] * 4.0
            given, old = gru.weight_ih_l0 @ x + gru.bias_ih_l0, gru.weight_hh_l0 @ state + gru.bias_hh_l0
            r, z = (torch.sigmoid(given[i : i + 16] + old[i : i + 16]) for i in (0, 16))
            state = (1 - z) * torch.tanh(given[32:] + r * old[32:]) + z * state
            assert torch.allclose(got[place], model.words.weight @ state, atol=1e-5)


def test_a_beam_of_one_is_greedy_and_a_beam_as_wide_as_everything_is_the_best():
    torch.manual_seed(3)
    model, pair = TransformerCaptioner(WRITES).eval(), pairs(2)
    assert torch.equal(model.beam(pair, 1, 3), model.greedy(pair, 3))
    found = model.beam(pair, 10, 2)
    allowed = [number for number in range(12) if number not in (PAD, BEGIN, 3)]
    for row in range(2):
        one = Pair(*(part[row : row + 1] for part in pair))
        best, best_words = -math.inf, None
        for first in allowed:
            for second in allowed:
                if first == END and second != END:
                    continue
                words = torch.tensor([[BEGIN, first, second]])
                with torch.no_grad():
                    logs = model(one, words[:, :-1])[0].log_softmax(dim=-1)
                total = float(logs[0, first]) + (0.0 if first == END else float(logs[1, second]))
                mean = total / (1 if first == END else 2)
                if mean > best:
                    best, best_words = mean, [first, second]
        assert found[row].tolist() == best_words


def test_an_attribute_is_the_mean_of_its_words_and_pictures_can_be_missing():
    model, pair = TransformerCaptioner(WRITES), pairs(1)
    rows = torch.tensor([[[5, 6, 0], [0, 0, 0]]])
    vectors, there = model.attribute_vectors(rows)
    assert torch.allclose(vectors[0, 0], (model.words.weight[5] + model.words.weight[6]) / 2)
    assert there.tolist() == [[1.0, 0.0]]
    unseen = pair._replace(seen=torch.zeros(1))
    other = unseen._replace(difference=torch.randn(1, 8))
    words = torch.tensor([[BEGIN, 5]])
    assert torch.allclose(model.eval()(unseen, words), model(other, words))


def test_words_by_number():
    words = CaptionVocabulary.of(["is long-sleeved and is red", "is red, and long-sleeved"], least=2)
    assert words.text([*words.numbers("Red is nothing", 8), END, 5]) == "red is"
    assert words.attribute_rows(["red"], 2) == [[words.numbers("red", 1)[0], PAD, PAD], [PAD] * 3]


def inputs(number: int = 3) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    words = torch.tensor([[2, 3, 0], [4, 0, 0], [5, 2, 3]])[:number]
    return F.normalize(torch.randn(number, 8), dim=-1), torch.rand(number, 4), words


@pytest.mark.parametrize("name", MODELS)
def test_each_model_reads_what_it_should(name: str):
    picture, named, said, _ = MODELS[name]
    model = SingleTurn(SingleTurnShape(6, 4, *MODELS[name], dimension=8, width=16)).eval()
    given = inputs()
    wanted = model(*given)
    changed = (torch.randn(3, 8), torch.rand(3, 4), torch.tensor([[5], [5], [4]]))
    for place, read in enumerate((picture, named, said)):
        other = [changed[place] if at == place else one for at, one in enumerate(given)]
        assert torch.allclose(model(*other), wanted) != read


def test_the_gate_passes_the_feedback():
    model = SingleTurn(SingleTurnShape(6, 4, dimension=8, width=16)).eval()
    pictures, named, words = inputs(1)
    said = model.feedback(words)
    joined = torch.cat([model.picture(pictures * 8**0.5), model.named(named), said], dim=-1).relu()
    query = model.join(joined) + torch.sigmoid(model.gate(joined)) * model.direct(said)
    assert torch.allclose(model(pictures, named, words), query / query.norm(), atol=1e-5)
    model(pictures, named, words).sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


@pytest.mark.parametrize("name", MODELS)
def test_each_model_learns_64_pairs_by_heart(name: str):
    torch.manual_seed(1)
    model = SingleTurn(SingleTurnShape(30, 32, *MODELS[name], dimension=16, width=64))
    given = F.normalize(torch.randn(64, 16), dim=-1), torch.rand(64, 32), torch.randint(1, 30, (64, 4))
    targets = F.normalize(torch.randn(64, 16), dim=-1)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    before = triplet_loss(model(*given) @ targets.T).item()
    for _ in range(150):
        loss = triplet_loss(model(*given) @ targets.T)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.5 * before
    assert all(parameter.grad is not None for parameter in model.parameters())
