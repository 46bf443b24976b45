"""MAI's blocks against slow references written from the formulas, and a network that learns."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from visavis.lab.networks.mai import (  # noqa: E402
    CyclicLoss,
    HeldTokens,
    Mai,
    MaiShape,
    TuringMemory,
    densities,
    kept_places,
)
from visavis.search.learned import mai as runtime  # noqa: E402

pytestmark = pytest.mark.train
SHAPE = MaiShape(tokens=4, dimension=16, width=12, heads=2, aggregations=1, modifications=1, regions=3)


def slow_kept(tokens: list[list[float]], keep: int, neighbours: int, form: str) -> list[int]:
    """Equations 2 and 3, token by token."""
    size, dimension = len(tokens), len(tokens[0])

    def squared(a: int, b: int) -> float:
        return sum((x - y) ** 2 for x, y in zip(tokens[a], tokens[b], strict=True)) / dimension

    density = []
    for one in range(size):
        nearest = sorted(squared(one, other) for other in range(size) if other != one)[:neighbours]
        density.append(math.exp(-sum(nearest) / len(nearest)))
    scores = []
    for one in range(size):
        others = [other for other in range(size) if other != one]
        if form == "peaks":
            others = [other for other in others if (density[other], -other) > (density[one], -one)]
        distances = [math.sqrt(squared(one, other)) for other in others]
        farthest = max(math.sqrt(squared(one, other)) for other in range(size))
        scores.append(density[one] * (min(distances) if distances else farthest))
    return sorted(sorted(range(size), key=lambda one: -scores[one])[:keep])


@pytest.mark.parametrize("form", ["peaks", "printed"])
def test_pruning_is_equations_2_and_3(form):
    tokens = np.random.default_rng(3).normal(size=(2, 12, 6))
    valid = torch.ones(2, 12, dtype=torch.bool)
    got = kept_places(torch.tensor(tokens), valid, 5, 3, form)
    for row in range(2):
        assert got[row].tolist() == slow_kept(tokens[row].tolist(), 5, 3, form)


def test_the_runtime_prunes_as_training_does():
    tokens = np.random.default_rng(4).normal(size=(40, 8)).astype(np.float32)
    wanted = kept_places(torch.from_numpy(tokens)[None], torch.ones(1, 40, dtype=torch.bool), 16)[0]
    assert runtime.kept_places(tokens, 16).tolist() == wanted.tolist()


def test_one_of_two_equal_tokens_stays_and_what_does_not_count_goes():
    tokens = torch.randn(1, 8, 5)
    tokens[0, 1] = tokens[0, 0]
    valid = torch.ones(1, 8, dtype=torch.bool)
    valid[0, 7] = False
    kept = kept_places(tokens, valid, 6)[0].tolist()
    assert 7 not in kept
    assert 1 not in kept, "the second of two equal tokens is the first to go"
    squared = torch.tensor([[[math.inf, 4.0], [4.0, math.inf]]])
    assert densities(squared, valid[:, :2], 5)[0, 0].item() == pytest.approx(math.exp(-4))


def test_memory_is_constant_in_the_number_of_turns():
    model = Mai(SHAPE).eval()
    held = None
    for place in range(1, 6):
        tokens = torch.randn(2, 4, 16)
        now = HeldTokens(tokens, torch.full((2, 4), place), torch.ones(2, 4, dtype=torch.bool))
        held = model.remember(held, now)
        assert held.tokens.shape == (2, 4, 16)


def test_a_turing_memory_is_written_and_read_head_by_head():
    torch.manual_seed(0)
    memory, tokens = TuringMemory(5, 4), torch.randn(2, 3, 4)
    rows = torch.randn(2, 5, 4)
    told, after = memory(tokens, rows)

    def weights(key, strength, held):
        cosines = torch.stack([torch.cosine_similarity(key, row, dim=0) for row in held])
        return torch.softmax(math.log1p(math.exp(strength)) * cosines, dim=0)

    for one in range(2):
        kept, added = rows[one].clone(), torch.zeros(5, 4)
        for token in tokens[one]:
            looked = weights(memory.write_key(token), memory.write_strength(token).item(), rows[one])
            for row in range(5):
                kept[row] = kept[row] * (1 - looked[row] * torch.sigmoid(memory.erase(token)))
                added[row] += looked[row] * torch.tanh(memory.add(token))
        assert torch.allclose(after[one], kept + added, atol=1e-5)
        for place, token in enumerate(tokens[one]):
            looked = weights(memory.read_key(token), memory.read_strength(token).item(), kept + added)
            assert torch.allclose(told[one, place], token + looked @ (kept + added), atol=1e-5)


def test_both_ends_begin_as_the_encoders_vectors():
    model = Mai(SHAPE).eval()
    whole, said = (torch.nn.functional.normalize(torch.randn(3, 16), dim=-1) for _ in range(2))
    tokens = model.gather_picture(whole, torch.randn(3, 3, 16), torch.randn(3, 2, 12), torch.ones(3, 2))
    assert torch.allclose(model.target(whole, tokens), whole, atol=1e-6)
    held = HeldTokens(tokens, torch.ones(3, 4, dtype=torch.long), torch.ones(3, 4, dtype=torch.bool))
    query = model.compose(held, held.places, torch.randn(3, 5, 12), torch.ones(3, 5), said, whole)
    assert torch.allclose(query, torch.nn.functional.normalize(0.5 * whole + said, dim=-1), atol=1e-6)


def attended(attention, x, over):
    """softmax(q k / sqrt(d)) v, a head and a place at a time."""
    each = x.shape[1] // attention.heads
    made = []
    for one in x:
        parts = []
        for head in range(attention.heads):
            part = slice(head * each, (head + 1) * each)
            query = attention.query(one)[part]
            heat = [math.exp(float(query @ attention.key(other)[part]) / math.sqrt(each)) for other in over]
            values = [attention.value(other)[part] for other in over]
            parts.append(sum(h * v for h, v in zip(heat, values, strict=True)) / sum(heat))
        made.append(attention.out(torch.cat(parts)))
    return torch.stack(made)


def test_bsa_gathers_step_by_step():
    """Learned tokens attend to themselves and the caption, then to the picture's patches."""
    torch.manual_seed(4)
    model = Mai(SHAPE).eval()
    layer = model.aggregate[0]
    whole, regions, caption = torch.randn(1, 16), torch.randn(1, 3, 16), torch.randn(1, 2, 12)
    with torch.no_grad():
        got = model.gather_picture(whole, regions, caption, torch.tensor([[1.0, 0]]))[0]
        patches = model.patch(4.0 * torch.cat([whole, regions[0]])) + model.where
        words = model.caption(caption[0, :1])
        x = layer.norm1(model.learned)
        tokens = model.learned + attended(layer.own, x, torch.cat([x, words]))
        tokens = tokens + attended(layer.cross, layer.norm2(tokens), patches)
        tokens = tokens + layer.mlp(layer.norm3(tokens))
        assert torch.allclose(got, model.gathered_norm(tokens), atol=1e-5)


def test_msa_composes_step_by_step():
    """Kept tokens and the request attend to each other; a linear and a normalisation layer map the tokens."""
    torch.manual_seed(5)
    model = Mai(SHAPE).eval()
    torch.nn.init.normal_(model.reference_head.weight)
    layer = model.modify[0]
    tokens, request = torch.randn(1, 4, 16), torch.randn(1, 3, 12)
    whole, said = (torch.nn.functional.normalize(torch.randn(1, 16), dim=-1) for _ in range(2))
    held = HeldTokens(tokens, torch.tensor([[1, 1, 2, 2]]), torch.tensor([[True, True, True, False]]))
    roles = torch.tensor([[0, 0, 1, 1]])
    with torch.no_grad():
        got = model.compose(held, roles, request, torch.tensor([[1.0, 1, 0]]), said, whole)[0]
        marked = tokens[0] + model.roles.weight[roles[0]] + model.ordinals.weight[held.places[0]]
        x = torch.cat([marked[:3], model.request(request[0, :2])])
        y = layer.norm1(x)
        x = x + attended(layer.own, y, y)
        x = x + layer.mlp(layer.norm2(x))
        pooled = model.mapped(x[:3]).mean(dim=0)
        shares = model.shares(pooled)
        wanted = shares[0] * whole[0] + shares[1] * said[0] + model.reference_head(pooled)
        assert torch.allclose(got, wanted / wanted.norm(), atol=1e-5)


def test_a_hidden_caption_says_nothing():
    model = Mai(SHAPE).eval()
    whole, regions = torch.randn(1, 16), torch.randn(1, 3, 16)
    one = model.gather_picture(whole, regions, torch.randn(1, 2, 12), torch.zeros(1, 2))
    other = model.gather_picture(whole, regions, torch.randn(1, 4, 12), torch.zeros(1, 4))
    assert torch.allclose(one, other, atol=1e-6)


def test_the_loss_is_equations_8_and_9():
    torch.manual_seed(0)
    r, t, m, c = (torch.nn.functional.normalize(torch.randn(3, 4), dim=-1) for _ in range(4))
    loss = CyclicLoss(4)
    scale, total = math.exp(3.0), 0.0
    for left, right in ((r, t), (t, m), (m, c), (c, r)):
        for row in range(3):
            heat = [math.exp(scale * float(left[row] @ right[column])) for column in range(3)]
            total -= math.log(heat[row] / sum(heat)) / 3
    assert loss(r, t, m, c, torch.arange(3)).item() == pytest.approx(total, rel=1e-4)
    assert loss(r, t, m, c, torch.tensor([0, 1, 0])).item() < total, "the same picture is no negative"


@pytest.mark.parametrize("memory", ["mio", "concat", "gru", "lstm", "ntm", "none"])
def test_gradients_reach_everything_and_64_sessions_are_learned_by_heart(memory):
    torch.manual_seed(0)
    model, loss = Mai(MaiShape(4, 16, 12, 2, 1, 1, regions=3, memory=memory)), CyclicLoss(16)
    whole, regions = torch.nn.functional.normalize(torch.randn(64, 16), dim=-1), torch.randn(64, 3, 16)
    captions, mask = torch.randn(64, 2, 12), torch.ones(64, 2)
    requests, said = torch.randn(64, 3, 12), torch.nn.functional.normalize(torch.randn(64, 16), dim=-1)
    numbers = torch.arange(64)
    optimiser = torch.optim.Adam([*model.parameters(), *loss.parameters()], 5e-3)
    values = []
    for _ in range(60):
        tokens = model.gather_picture(whole, regions, captions, mask)
        first = HeldTokens(tokens, torch.ones(64, 4, dtype=torch.long), torch.ones(64, 4, dtype=torch.bool))
        second = HeldTokens(tokens.roll(1, 0), 2 * first.places, first.valid)
        held = model.remember(model.remember(None, first), second)
        query = model.compose(held, (held.places == 2).long(), requests, torch.ones(64, 3), said, whole)
        value = loss(query, model.target(whole, tokens).roll(2, 0), said, said, numbers)
        optimiser.zero_grad()
        value.backward()
        optimiser.step()
        values.append(value.item())
    assert values[-1] < 0.5 * values[0]
    assert all(parameter.grad is not None for parameter in model.parameters())
