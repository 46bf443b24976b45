"""The options that every training by epochs has, and the decorator that gives them to a command."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from visavis.cli.output import JsonOption, print_json, stderr
from visavis.cli.train import DeviceOption, train_app
from visavis.errors import BadInputError

LimitOption = Annotated[int | None, Option(min=2, help="Train on so many pictures; all unless told.")]


@dataclass(frozen=True)
class EpochOptions:
    """What a person chooses of any training by epochs: fields of ``lab.training.epochs.EpochSettings``."""

    vectors: Annotated[Path, Option(help="Its vectors: what visavis bench embed wrote.")]
    out: Annotated[Path, Option(help="Where checkpoints, the log and the weights go; a run goes on there.")]
    epochs: Annotated[int, Option(min=1, help="Epochs (of each stage, where there are several) at most.")]
    batch: Annotated[int, Option(min=2, help="Examples of a step.")]
    rate: Annotated[float, Option(min=0, help="The learning rate, or the first one where it falls.")]
    patience: Annotated[int, Option(min=1, help="Epochs without improvement before it ends.")]
    seconds: Annotated[float, Option(min=1, help="How long each stage may take.")] = 1e9
    seed: Annotated[int, Option(help="The same seed gives the same run.")] = 0
    device: DeviceOption = "auto"

    def settings(self) -> dict[str, Any]:
        """The options as keyword arguments of a training's settings."""
        return asdict(self)


#: Prints a line about a run.
Report = Callable[[str], object]
Figures = dict[str, Any]


def epoch_command(
    name: str, *, epochs: int, batch: int, rate: float, patience: int
) -> Callable[[Callable[..., Figures]], Callable[..., Figures]]:
    """Add a training to ``visavis train``; its options are those of the function and those of ``EpochOptions``.

    The function takes these, something that prints a line about the run, and its own; it returns what is printed.

    Args:
        name: The name of the command.
        epochs: Epochs at most, unless told.
        batch: Examples of a step, unless told.
        rate: The learning rate, unless told.
        patience: Epochs without improvement before it ends, unless told.
    """
    defaults = {"epochs": epochs, "batch": batch, "rate": rate, "patience": patience}

    def register(train: Callable[..., Figures]) -> Callable[..., Figures]:
        @wraps(train)
        def command(*, json: bool, **given: Any) -> None:
            shared = EpochOptions(**{one.name: given.pop(one.name) for one in fields(EpochOptions)})
            figures = train(shared, str if json else _print_line, **given)
            if json:
                print_json(figures)
            else:
                _print_line(f"{figures}\nwritten to {shared.out}")

        own = list(inspect.signature(train, eval_str=True).parameters.values())[2:]
        every = inspect.signature(EpochOptions, eval_str=True).parameters.values()
        common = [one.replace(default=defaults.get(one.name, one.default)) for one in every]
        last = inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption)
        signature = inspect.Signature([one.replace(kind=one.KEYWORD_ONLY) for one in (*own, *common, last)])
        command.__signature__ = signature  # type: ignore[attr-defined]
        train_app.command(name)(command)
        return train

    return register


def _print_line(line: str) -> None:
    stderr.print(line, highlight=False)


def check_known(value: str, known: tuple[str, ...]) -> None:
    """Raises ``BadInputError`` unless a value is one of those that are known."""
    if value not in known:
        raise BadInputError(f"'{value}' is not known.", f"Use one of {', '.join(known)}.")
