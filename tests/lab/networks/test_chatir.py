"""ChatIR's head and losses against slow references, and a head that learns."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from visavis.lab.networks.chatir import (  # noqa: E402
    DialogEncoder,
    DialogHead,
    HeadShape,
    info_nce,
    recall_surrogate,
)
from visavis.lab.networks.towers import TextTower, TextTowerShape  # noqa: E402

pytestmark = pytest.mark.train
SHAPE = HeadShape(width=12, dimension=8, inner=12, heads=2)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, x))))


def test_the_recall_surrogate_term_by_term():
    torch.manual_seed(0)
    scores = torch.randn(5, 5) * 0.05
    losses = []
    for k in (1, 2, 4):
        inside = []
        for row in range(5):
            above = [sigmoid((scores[row, o] - scores[row, row]).item() / 0.01) for o in range(5) if o != row]
            inside.append(sigmoid(k + 0.5 - (1 + sum(above))))
        losses.append(1 - sum(inside) / 5)
    assert recall_surrogate(scores, (1, 2, 4)).item() == pytest.approx(sum(losses) / 3, abs=1e-4)


def test_the_contrastive_loss_term_by_term():
    scores = torch.tensor([[0.5, 0.1], [0.2, 0.3]])
    rows = [-math.log(math.exp(20.0) / (math.exp(20.0) + math.exp(4.0))), -math.log(1 / (1 + math.exp(-4.0)))]
    columns = [-math.log(1 / (1 + math.exp(-12.0))), -math.log(1 / (1 + math.exp(-8.0)))]
    assert info_nce(scores).item() == pytest.approx((sum(rows) + sum(columns)) / 4, abs=1e-6)


def test_a_new_head_changes_nothing_and_padding_is_not_read():
    torch.manual_seed(0)
    head, whole = DialogHead(SHAPE), torch.nn.functional.normalize(torch.randn(1, 8), dim=-1)
    tokens = torch.randn(1, 3, 12)
    assert torch.allclose(head(tokens, torch.ones(1, 3), whole), whole, atol=1e-6)
    torch.nn.init.normal_(head.widen.weight)
    longer = torch.cat([tokens, torch.randn(1, 2, 12)], dim=1)
    mask = torch.tensor([[1.0, 1, 1, 0, 0]])
    assert torch.allclose(head(tokens, torch.ones(1, 3), whole), head(longer, mask, whole), atol=1e-5)


def test_the_head_reads_token_by_token():
    """One layer of attention, then for each head the mean of what the tokens became, weighted by a softmax."""
    torch.manual_seed(2)
    head, tokens, mask = DialogHead(SHAPE), torch.randn(1, 4, 12), torch.tensor([[1.0, 1, 1, 0]])
    with torch.no_grad():
        got = head.pooled(tokens, mask)[0]
        x = [head.narrow(token) for token in tokens[0, :3]]
        qkv = [head.qkv(head.norm(one)).view(3, 2, 6) for one in x]
        read = []
        for own in range(3):
            parts = []
            for part in range(2):
                heat = [math.exp(float(qkv[own][0, part] @ other[1, part]) / math.sqrt(6)) for other in qkv]
                mixed = sum(h * other[2, part] for h, other in zip(heat, qkv, strict=True)) / sum(heat)
                parts.append(mixed)
            read.append(x[own] + head.out(torch.cat(parts)))
        wanted = []
        for part in range(2):
            heat = [math.exp(float(head.pool(one)[part])) for one in read]
            wanted.append(sum(h * one for h, one in zip(heat, read, strict=True)) / sum(heat))
    assert torch.allclose(got, torch.cat(wanted), atol=1e-5)


def test_the_residual_is_what_lifting_each_picture_gives():
    torch.manual_seed(0)
    head = DialogHead(HeadShape(12, 8, 12, 2, rank=3))
    torch.nn.init.normal_(head.residual.weight)
    tokens, mask, whole = torch.randn(2, 5, 12), torch.ones(2, 5), torch.randn(2, 8)
    pictures = torch.randn(5, 8)
    got = head(tokens, mask, whole) @ pictures.T
    pooled = head.pooled(tokens, mask)
    query = torch.nn.functional.normalize(whole + head.widen(pooled), dim=-1)
    for row in range(2):
        lift = head.residual(pooled[row]).view(8, 3)
        lifted = pictures + (lift @ (head.project.weight @ pictures.T)).T
        wanted = lifted @ query[row]
        # The query has unit length afterwards, so the scores are those of the lifted pictures up to one factor.
        assert torch.allclose(got[row] / got[row].norm(), wanted / wanted.norm(), atol=1e-5)


@pytest.mark.parametrize("rank", [0, 3])
def test_a_frozen_tower_is_not_trained_and_64_dialogues_are_learned_by_heart(rank: int):
    torch.manual_seed(0)
    tower = TextTower(TextTowerShape(vocabulary=50, positions=16, width=12, layers=1, heads=2, dimension=8))
    model = DialogEncoder(tower, DialogHead(HeadShape(12, 8, 12, 2, rank)))
    ids, mask = torch.randint(1, 50, (64, 10)), torch.ones(64, 10)
    pictures = torch.nn.functional.normalize(torch.randn(64, 8), dim=-1)
    optimiser = torch.optim.Adam(model.head.parameters(), 1e-2)
    before = info_nce(model(ids, mask) @ pictures.T, 10.0).item()
    for _ in range(150):
        loss = info_nce(model(ids, mask) @ pictures.T, 10.0)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.5 * before
    assert all(parameter.grad is None for parameter in tower.parameters())
    assert all(parameter.grad is not None for parameter in model.head.parameters())


def test_the_papers_model_trains_the_tower_as_well():
    torch.manual_seed(0)
    tower = TextTower(TextTowerShape(vocabulary=50, positions=16, width=12, layers=1, heads=2, dimension=8))
    model = DialogEncoder(tower, DialogHead(SHAPE), frozen=False)
    ids, mask = torch.randint(1, 50, (64, 10)), torch.ones(64, 10)
    pictures = torch.nn.functional.normalize(torch.randn(64, 8), dim=-1)
    optimiser = torch.optim.Adam(model.parameters(), 5e-3)
    before = recall_surrogate(model(ids, mask) @ pictures.T, rank_heat=0.1).item()
    for _ in range(100):
        scores = model(ids, mask) @ pictures.T
        loss = info_nce(scores, 10.0) + recall_surrogate(scores, rank_heat=0.1)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert recall_surrogate(model(ids, mask) @ pictures.T, rank_heat=0.1).item() < 0.5 * before
    assert all(parameter.grad is not None for parameter in model.parameters())
