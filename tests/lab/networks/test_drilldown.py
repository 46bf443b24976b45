"""Drill-down's blocks against slow references written from the formulas, and a network that learns."""

from __future__ import annotations

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from visavis.lab.networks.drilldown import (  # noqa: E402
    Drilldown,
    DrilldownShape,
    best_actions,
    circular,
    combine,
    rank_fusion,
    triplet_loss,
)

pytestmark = pytest.mark.train
SHAPE = DrilldownShape(states=3, dimension=8, regions=8, query=8)


def made(shape: DrilldownShape = SHAPE) -> Drilldown:
    torch.manual_seed(1)
    return Drilldown(shape).eval()


def slow_similarity(states, filled, regions, form: str) -> float:
    """Equation 1, term by term."""
    total, counted = 0.0, 0
    for state, full in zip(states, filled, strict=True):
        if form == "code" and not full:
            continue
        counted += 1
        if not full:
            continue
        cosines = [
            sum(a * b for a, b in zip(state, region, strict=True))
            / math.sqrt(sum(a * a for a in state))
            / math.sqrt(sum(b * b for b in region))
            for region in regions
        ]
        heat = [math.exp(9 * c if form == "code" else c / 9) for c in cosines]
        attended = sum(h * c for h, c in zip(heat, cosines, strict=True)) / sum(heat)
        total += attended if form == "code" else attended / len(regions)
    return total / max(counted, 1)


@pytest.mark.parametrize("form", ["code", "printed"])
def test_the_similarity_is_equation_1(form):
    model = made(DrilldownShape(3, 8, 8, 8, form=form))
    rng = np.random.default_rng(2)
    states, filled = (
        torch.tensor(rng.normal(size=(2, 3, 8)), dtype=torch.float32),
        torch.tensor([[1.0, 1, 0], [1, 1, 1]]),
    )
    states[0, 2] = 0
    regions = torch.tensor(rng.normal(size=(4, 5, 8)), dtype=torch.float32)
    got = model.similarity(states, filled, torch.nn.functional.normalize(regions, dim=-1))
    for row in range(2):
        for place in range(4):
            slow = slow_similarity(states[row].tolist(), filled[row].tolist(), regions[place].tolist(), form)
            assert got[row, place].item() == pytest.approx(slow, abs=1e-5)
    own = model.own_similarity(states, filled, torch.nn.functional.normalize(regions[:2], dim=-1))
    assert torch.allclose(own, got[:, :2].diagonal(), atol=1e-6)


def test_the_loss_takes_the_hardest_negatives_both_ways():
    scores = torch.tensor([[0.5, 0.45, 0.1], [0.2, 0.9, 0.3], [0.6, 0.0, 0.4]])
    by_row = [0.2 + 0.45 - 0.5, 0.0, 0.2 + 0.6 - 0.4]
    by_column = [0.2 + 0.6 - 0.5, 0.0, 0.2 + 0.3 - 0.4]
    assert triplet_loss(scores).item() == pytest.approx((sum(by_row) + sum(by_column)) / 3)


def test_empty_slots_first_then_the_policy():
    model = made()
    query = torch.randn(2, 8)
    states, filled = model.empty(2)
    for expected in (0, 1, 2):
        slot = model.choose(states, filled, query)
        assert slot.tolist() == [expected, expected]
        states, filled = model.step(states, filled, query, slot)
    assert filled.min() == 1
    assert model.choose(states, filled, query).tolist() == model.policy_logits(states, query).argmax(dim=1).tolist()


def test_a_step_updates_one_state_by_the_gru_cell():
    model = made()
    states, query = torch.randn(1, 3, 8), torch.randn(1, 8)
    after, _ = model.step(states, torch.ones(1, 3), query, torch.tensor([1]))
    assert torch.equal(after[:, [0, 2]], states[:, [0, 2]])
    cell = model.update
    gates_in, gates_old = query @ cell.weight_ih.T + cell.bias_ih, states[:, 1] @ cell.weight_hh.T + cell.bias_hh
    r, z = (torch.sigmoid(gates_in[:, i : i + 8] + gates_old[:, i : i + 8]) for i in (0, 8))
    n = torch.tanh(gates_in[:, 16:] + r * gates_old[:, 16:])
    assert torch.allclose(after[:, 1], (1 - z) * n + z * states[:, 1], atol=1e-6)


def test_the_best_action_is_that_of_the_look_ahead():
    model = made()
    states, filled = torch.randn(2, 3, 8), torch.ones(2, 3)
    queries, pictures = torch.randn(2, 3, 8), torch.nn.functional.normalize(torch.randn(2, 4, 8), dim=-1)
    slots, values = best_actions(model, (states, filled), queries, pictures, 0.5)
    for row in range(2):
        for slot in range(3):
            state = states[row : row + 1], filled[row : row + 1]
            total, chosen = 0.0, torch.tensor([slot])
            for turn in range(3):
                if turn:
                    chosen = model.choose(*state, queries[row : row + 1, turn])
                state = model.step(*state, queries[row : row + 1, turn], chosen)
                total += 0.5**turn * model.own_similarity(*state, pictures[row : row + 1]).item()
            assert values[row, slot].item() == pytest.approx(total, abs=1e-5)
    assert slots.tolist() == values.argmax(dim=1).tolist()


def test_a_policy_that_is_drawn_follows_its_chances():
    model = made()
    states, filled, query = torch.randn(1, 3, 8), torch.ones(1, 3), torch.randn(1, 8)
    chances = model.policy_logits(states, query).softmax(dim=1)[0]
    many = [part.repeat_interleave(4000, dim=0) for part in (states, filled, query)]
    drawn = model.choose(*many, torch.Generator().manual_seed(0))
    shares = torch.bincount(drawn, minlength=3) / 4000
    assert torch.allclose(shares, chances, atol=0.03)
    empty = model.choose(*model.empty(1), query, torch.Generator().manual_seed(0))
    assert empty.tolist() == [0], "an empty one is no matter of chance"


@pytest.mark.parametrize("follow", ["best", "policy"])
def test_the_joint_stage_trains_the_states_of_the_most_rewarding_slots(follow):
    """Section 3.5: the triplet loss is of X*, which the best actions give, and the policy is to choose these."""
    from visavis.lab.training.drilldown import losses
    from visavis.lab.training.scene_parts import DrilldownSettings

    model = made(DrilldownShape(2, 8, 8, 8))
    regions, inputs = torch.randn(3, 4, 8), torch.randn(3, 4, 8)
    settings = DrilldownSettings(None, None, None, rollout=follow)  # type: ignore[arg-type]
    matched, policy = losses(model, regions, inputs, settings, fixed=False)
    pictures, queries = model.pictures(regions), model.queries(inputs.flatten(0, 1)).view(3, 4, 8)
    state, wanted, asked = model.empty(3), 0.0, []
    differ = False
    for turn in range(4):
        slot = model.choose(*state, queries[:, turn])
        if turn >= 2:
            best, _ = best_actions(model, state, queries[:, turn:], pictures)
            logits = model.policy_logits(state[0], queries[:, turn])
            chances = logits.exp() / logits.exp().sum(dim=1, keepdim=True)
            asked.append(-chances[range(3), best].log().mean().item())
            differ |= bool((best != slot).any())
            slot = best if follow == "best" else slot
        state = model.step(*state, queries[:, turn], slot)
        wanted += triplet_loss(model.similarity(*state, pictures)).item() / 4
    assert differ, "else nothing is told apart"
    assert matched.item() == pytest.approx(wanted, abs=1e-5)
    assert policy.item() == pytest.approx(sum(asked) / 2, abs=1e-5)


def test_circular_and_rank_fusion():
    assert [circular(turn, 3, 1, torch.zeros(1)).item() for turn in range(4)] == [0, 1, 2, 0]
    fused = rank_fusion(torch.tensor([[0.9, 0.1, 0.5], [0.2, 0.8, 0.1]]))
    assert fused.tolist() == [[0.0, -2.0, -1.0], [-0.5, -1.0, -1.5]]
    by_turn = torch.randn(3, 2, 5)
    both = rank_fusion(by_turn)
    assert torch.equal(both[:, 1], rank_fusion(by_turn[:, 1]))


def test_words_are_read_by_a_network_of_their_own():
    model = made(DrilldownShape(2, 8, 8, words=20, embedding=5))
    one, padded = torch.tensor([[3, 4, 5]]), torch.tensor([[3, 4, 5, 0, 0]])
    assert torch.allclose(model.queries(one), model.queries(padded), atol=1e-6)


def test_joined_queries_are_read_as_one_text():
    model = made(DrilldownShape(1, 8, 8, words=20, embedding=5, joined=True))
    ids = torch.tensor([[[3, 4, 0], [5, 0, 0], [6, 7, 8]], [[9, 0, 0], [2, 3, 0], [4, 0, 0]]])
    got = model.words(ids)
    for row, (texts, rest) in enumerate([([[3, 4], [5], [6, 7, 8]], 6), ([[9], [2, 3], [4]], 4)]):
        said = [word for text in texts for word in text]
        assert len(said) == rest
        out, _ = model.words.read(model.words.words(torch.tensor([said])))
        ends = [sum(map(len, texts[: turn + 1])) - 1 for turn in range(3)]
        assert torch.allclose(got[row], out[0, ends], atol=1e-6)


def test_gradients_reach_everything_and_64_pictures_are_learned_by_heart():
    from visavis.lab.training.drilldown import losses
    from visavis.lab.training.scene_parts import DrilldownSettings

    torch.manual_seed(0)
    model = Drilldown(DrilldownShape(2, 16, 16, 16))
    regions = torch.nn.functional.normalize(torch.randn(64, 4, 16), dim=-1)
    inputs = torch.randn(64, 4, 16)
    settings = DrilldownSettings(None, None, None, margin=0.2)  # type: ignore[arg-type]
    optimiser = torch.optim.Adam(model.parameters(), 5e-3)
    first = None
    for step in range(150):
        matched, policy = losses(model, regions, inputs, settings, fixed=step < 100)
        optimiser.zero_grad()
        (matched + 0.1 * policy).backward()
        optimiser.step()
        first = first or matched.item()
    assert all(parameter.grad is not None for parameter in model.parameters())
    assert matched.item() < 0.5 * first
    assert combine(torch.zeros(1, 2, 3), torch.zeros(1, 2), "code").item() == 0


@pytest.mark.parametrize(
    "more",
    [{"states": 2}, {"states": 1}, {"states": 1, "pooled": True}, {"states": 1, "joined": True}],
    ids=["words", "r-hre", "hre", "r-re"],
)
def test_networks_over_words_learn_64_pictures_by_heart(more):
    from visavis.lab.training.drilldown import losses
    from visavis.lab.training.scene_parts import DrilldownSettings

    torch.manual_seed(0)
    model = Drilldown(DrilldownShape(dimension=16, regions=16, words=30, embedding=8, **more))
    regions = torch.nn.functional.normalize(torch.randn(64, 4, 16), dim=-1)
    inputs = torch.randint(2, 30, (64, 3, 4))
    inputs[:, :, 3] = 0
    settings = DrilldownSettings(None, None, None, margin=0.2)  # type: ignore[arg-type]
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    values = []
    for _ in range(80):
        matched, _ = losses(model, regions, inputs, settings, fixed=True)
        optimiser.zero_grad()
        matched.backward()
        optimiser.step()
        values.append(matched.item())
    assert values[-1] < 0.6 * values[0]
    unused = ("policy", "update") if more.get("joined") else ("policy",)
    assert all(one.grad is not None for name, one in model.named_parameters() if not name.startswith(unused))


def test_words_are_read_both_ways_by_gated_cells():
    model = made(DrilldownShape(2, 8, 8, words=20, embedding=5))
    ids = [3, 7, 4]
    gru = model.words.read

    def read(vectors, suffix):
        state = torch.zeros(8)
        w_ih, w_hh, b_ih, b_hh = (getattr(gru, f"{n}_l0{suffix}") for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))  # fmt: skip  # noqa: E501
        for vector in vectors:
            given, old = w_ih @ vector + b_ih, w_hh @ state + b_hh
            r, z = (torch.sigmoid(given[i : i + 8] + old[i : i + 8]) for i in (0, 8))
            n = torch.tanh(given[16:] + r * old[16:])
            state = (1 - z) * n + z * state
        return state

    with torch.no_grad():
        vectors = [model.words.words.weight[number] for number in ids]
        wanted = (read(vectors, "") + read(vectors[::-1], "_reverse")) / 2
        assert torch.allclose(model.queries(torch.tensor([ids]))[0], wanted, atol=1e-6)
