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
