from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from visavis.lab.training.cutout_outline import overlap  # noqa: E402
from visavis.lab.training.cutout_teachers import agreed, sharpened  # noqa: E402

pytestmark = pytest.mark.train


def square(low: int, high: int, inside: float = 1.0) -> torch.Tensor:
    mask = torch.zeros(1, 60, 60)
    mask[:, low:high, low:high] = inside
    return mask


@pytest.mark.parametrize(
    ("salient", "people", "person", "good"),
    [
        (square(10, 40), square(10, 41), True, True),
        (square(10, 40), square(30, 60), True, False),  # of a person, both must say the same
        (square(10, 40), square(30, 60), False, True),
        (square(10, 40, 0.6), square(10, 40), False, False),  # not sure
        (square(10, 14), square(10, 14), False, False),  # too little
        (square(0, 60), square(0, 60), False, False),  # everything
    ],
)
def test_what_is_worth_learning_from(salient, people, person, good):
    _, sure = agreed(salient, people, torch.tensor([person]))
    assert sure.tolist() == [good]


def test_teachers_that_agree_are_averaged():
    masks, _ = agreed(square(10, 40), square(10, 41), torch.tensor([False]))
    assert float(masks[0, 20, 20]) == 1
    assert float(masks[0, 40, 20]) == 0.5
    assert sharpened(masks)[0, 40, 20] == 128, "in doubt: not counted"
    alone, _ = agreed(square(10, 40), square(40, 60), torch.tensor([False]))
    assert torch.equal(alone, square(10, 40))


def test_overlap_of_a_network_that_knows_the_mask():
    class Knows(torch.nn.Module):
        """Everything red is the thing; with a hint, what it points at."""

        def __init__(self) -> None:
            super().__init__()
            self.unused = torch.nn.Parameter(torch.zeros(1))

        def forward(self, picture, hint):
            return torch.where(hint.abs().amax((1, 2, 3), keepdim=True) > 0, hint, picture[:, :1] - 0.5)

    masked = torch.zeros(3, 4, 64, 64, dtype=torch.uint8)
    masked[:, [0, 3], 16:48, 16:48] = 255
    assert overlap(Knows(), masked, side=64) == pytest.approx(1)
    hinted = overlap(Knows(), masked, hinted=True, side=64)
    assert 0.3 < hinted < 0.99
    assert hinted == overlap(Knows(), masked, hinted=True, side=64), "the same hints each time"
