"""The mean of the weights of several trainings that began from the same ones (Wortsman et al., 2022)."""

from __future__ import annotations

import argparse
from pathlib import Path

import torch

from visavis.lab.training.parser import decoder_layers, new_network, report, write_result
from visavis.lab.training.parser_samples import Course, ParserSamples
from visavis.lab.training.parser_state import load_state


def main() -> None:
    """Average weights from the command line."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--of", required=True, help="Names of the weights, separated by commas.")
    options.add_argument("--shares", help="How much each of them counts, separated by commas; alike unless told.")
    options.add_argument("--name", required=True)
    options.add_argument("--limit", type=int, default=0)
    for name in ("material", "start", "out"):
        options.add_argument(f"--{name}", type=Path, required=True)
    given = options.parse_args()
    states = [load_state(given.out, name) for name in given.of.split(",")]
    given_shares = [float(share) for share in given.shares.split(",")] if given.shares else [1.0] * len(states)
    if len(given_shares) != len(states):
        options.error(f"{len(states)} weights need as many shares.")
    shares = torch.tensor(given_shares) / sum(given_shares)
    state = {key: torch.einsum("n,n...->...", shares, torch.stack([one[key] for one in states])) for key in states[0]}
    course = Course(decoder_layers=decoder_layers(states[0]))
    samples = ParserSamples(
        given.material, torch.device("cuda" if torch.cuda.is_available() else "cpu"), given.limit or None
    )
    found = report(samples, new_network(samples, given.start, course), state, course)
    write_result(given.out, given.name, state, found, {"of": given.of.split(","), "shares": given_shares})


if __name__ == "__main__":
    main()
