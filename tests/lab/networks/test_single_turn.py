"""Fashion IQ's single-turn models: what each reads, and the gate by its formula."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional as F  # noqa: E402

from visavis.lab.networks.fashioniq import MODELS, SingleTurn, SingleTurnShape  # noqa: E402

pytestmark = pytest.mark.train


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
    from visavis.lab.networks.drilldown import triplet_loss

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
