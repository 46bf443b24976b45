"""The parser's network, run by ONNX Runtime: a prompt in, probable outputs of the grammar out."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.builtin import open_model
from visavis.encoders.inputs import WordTable, read_word_table
from visavis.errors import BadInputError, NotFoundError
from visavis.files import check_installed
from visavis.language.decoding import Grammar, State
from visavis.language.pieces import END, MARKS, START
from visavis.language.prompt import Prompt
from visavis.types import UNREADABLE

DESCRIPTION, ENCODER, DECODER, ARRAYS = "network.json", "encoder.onnx", "decoder.onnx", "arrays.npz"
#: The layout that this code reads; weights of another one are refused.
FORMAT = 3
#: What the decoder is given when it is loaded: the vectors of the pieces that it can write, bytes and scales of words,
#: numbers of marks, and a bias for each.
WORDS_WRITTEN, WORDS_SCALE, MARKS_WRITTEN, BIAS = "words_written", "words_scale", "marks_written", "bias"
#: So many of the likeliest pieces are tried under the grammar before all of them are.
TRIED = 24
FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
_REMEDY = "Train them with: visavis train parser"
#: A beginning so much less probable than the best one (natural logarithm) is given up.
_FAR = 4.0
#: Keeps a logarithm finite.
_LEAST = 1e-20
#: A piece that the grammar does not allow.
_REFUSED = State()


@dataclass(frozen=True)
class Output:
    """Pieces that the network wrote, without the end, and their probability."""

    pieces: tuple[int, ...]
    probability: float


@dataclass
class _Beam:
    pieces: tuple[int, ...] = ()
    score: float = 0.0
    state: State = field(default_factory=State)


class Network:
    """Weights in memory.

    Args:
        folder: The weights.
        threads: How many cores a message may use.
    """

    def __init__(self, folder: Path, threads: int = 1) -> None:
        for file in (DESCRIPTION, ARRAYS):
            check_installed(folder / file)
        try:
            self.description: dict[str, Any] = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
            if self.description.get("format") != FORMAT:
                raise BadInputError(f"The weights in {folder} have another format.", "Train them with this version.")
            with np.load(folder / ARRAYS, allow_pickle=False) as stored:
                self._marks: FloatArray = stored["marks"].astype(np.float32)
                bias: FloatArray = stored["bias"].astype(np.float32)
                self.pieces: IntArray = stored["generated"].astype(np.int64)
            shape = self.description["shape"]
            self.longest = int(shape["targets"]) - 2
            heads = int(shape["decoder_heads"])
            self.past_shape = (2 * int(shape["decoder_layers"]), 1, heads, 0, int(shape["width"]) // heads)
        except (*UNREADABLE, AttributeError, KeyError) as error:
            if isinstance(error, BadInputError):
                raise
            raise NotFoundError(f"There are no usable weights in {folder}: {error}.", _REMEDY) from error
        self._table: WordTable = read_word_table()
        self._encoder = open_model(folder / ENCODER, _REMEDY, threads=threads)
        self._written = self._writable(np.float32(8 * shape["width"] ** -0.5), bias)
        self._decoder = open_model(folder / DECODER, _REMEDY, outside=self._written)

    def _writable(self, scale: np.float32, bias: FloatArray) -> dict[str, NDArray[Any]]:
        """The vectors of the pieces that can be written: the marks', and the text tower's bytes of words."""
        marks = self.pieces[self.pieces < MARKS]
        words = self.pieces[len(marks) :]
        return {
            WORDS_WRITTEN: np.ascontiguousarray(self._table.bytes[words].T),
            WORDS_SCALE: np.ascontiguousarray(self._table.scale[words, 0] * scale),
            MARKS_WRITTEN: np.ascontiguousarray(self._marks[marks].T * scale),
            BIAS: bias,
        }

    def vectors(self, ids: IntArray) -> FloatArray:
        """The vectors of pieces ``[n, width]``: marks are the network's own, words the text tower's."""
        own = ids < MARKS
        vectors = self._table.vectors(ids)
        vectors[own] = self._marks[ids[own]]
        return vectors

    def encode(self, vectors: FloatArray, kinds: IntArray) -> tuple[FloatArray, FloatArray]:
        """What the decoder reads of an input: keys and values of its layers, and keys for copying."""
        read, copy_keys = self._encoder.run(None, {"vectors": vectors, "kinds": kinds})
        return read, copy_keys

    def decode(
        self, last: IntArray, place: int, past: FloatArray, read: dict[str, NDArray[Any]]
    ) -> tuple[FloatArray, FloatArray, IntArray, FloatArray]:
        """One step: probabilities of all pieces, of the likeliest and which they are, and what to keep for the next."""
        feeds = {"vectors": self.vectors(last)[:, None], "place": np.array([place], dtype=np.int64), "past": past}
        likely, best, best_at, present = self._decoder.run(None, feeds | read)
        return likely, best, best_at, present

    def outputs(self, prompt: Prompt, grammar: Grammar, beams: int = 4) -> list[Output]:
        """The likeliest outputs that the grammar allows, best first.

        Args:
            prompt: The message in its context.
            grammar: What may be written.
            beams: How many beginnings are followed beside each other at most; where the network is sure, it is one.
        """
        return _Run(self, prompt).search(grammar, beams)


class _Run:
    """The network on one input."""

    def __init__(self, network: Network, prompt: Prompt) -> None:
        self._network = network
        self._ids = np.array(prompt.ids, dtype=np.int64)
        kinds = (np.arange(len(self._ids)) >= prompt.message_length).astype(np.int64)[None]
        vectors = network.vectors(self._ids)[None]
        read, copy_keys = network.encode(vectors, kinds)
        #: The pieces of the generator, then those of the input; and where each piece of the input is counted.
        self._pieces = np.concatenate([network.pieces, self._ids])
        known = np.searchsorted(network.pieces, self._ids).clip(max=len(network.pieces) - 1)
        _, first, same = np.unique(self._ids, return_index=True, return_inverse=True)
        slots = np.where(network.pieces[known] == self._ids, known, len(network.pieces) + first[same])[None]
        self._read = {"read": read, "copy_keys": copy_keys, "slots": slots}

    def search(self, grammar: Grammar, width: int) -> list[Output]:
        network = self._network
        beams, past = [_Beam(state=grammar.start())], np.zeros(network.past_shape, np.float32)
        done: list[tuple[float, tuple[int, ...]]] = []
        for place in range(network.longest):
            last = np.array([beam.pieces[-1] if beam.pieces else START for beam in beams], dtype=np.int64)
            likely, best, best_at, present = network.decode(last, place, past, self._read)
            followers: list[tuple[float, int, int, State]] = []
            for at, beam in enumerate(beams):
                for piece, log, state in self._allowed(grammar, beam, likely[at], best[at], best_at[at], width):
                    if state is None:
                        done.append((beam.score + log, beam.pieces))
                    else:
                        followers.append((beam.score + log, at, piece, state))
            followers.sort(key=lambda follower: -follower[0])
            done.sort(key=lambda pair: -pair[0])
            highest = max(followers[0][0] if followers else -math.inf, done[0][0] if done else -math.inf)
            least = max(highest - _FAR, done[width - 1][0] if len(done) >= width else -math.inf)
            kept = [one for one in followers[:width] if one[0] > least]
            if not kept:
                break
            origins = [at for _, at, _, _ in kept]
            past = present if origins == list(range(len(beams))) else present[:, origins]
            beams = [_Beam((*beams[at].pieces, piece), score, state) for score, at, piece, state in kept]
        return [Output(pieces, math.exp(score)) for score, pieces in done[:width]]

    def _allowed(
        self, grammar: Grammar, beam: _Beam, likely: FloatArray, best: FloatArray, best_at: IntArray, width: int
    ) -> list[tuple[int, float, State | None]]:
        """The likeliest pieces that the grammar allows with their log probabilities; the end has no state.

        What is refused on the way gives its probability to what is allowed: the rest of a word that has begun is sure.
        """
        found: list[tuple[int, float, State | None]] = []
        refused = mass = 0.0
        for piece, share in zip(self._pieces[best_at].tolist(), best.tolist(), strict=True):
            if len(found) >= width:
                break
            if (state := self._step(grammar, beam, piece)) is _REFUSED:
                refused += share
            else:
                found.append((piece, share, state))
                mass += share
        if not found:
            for at in np.argsort(-likely)[len(best) :]:
                piece, share = int(self._pieces[at]), float(likely[at])
                if (state := self._step(grammar, beam, piece)) is not _REFUSED:
                    found, mass = [(piece, share, state)], share
                    break
        left = max(1 - refused, mass, 1e-12)
        return [(piece, math.log((share + _LEAST) / left), state) for piece, share, state in found]

    @staticmethod
    def _step(grammar: Grammar, beam: _Beam, piece: int) -> State | None:
        """The state after a piece, None after the end."""
        if piece == END:
            return None if grammar.ends(beam.state) else _REFUSED
        state = grammar.step(beam.state, piece)
        return _REFUSED if state is None else state


def calibrated(probability: float, temperature: float, shift: float = 0.0) -> float:
    """A probability as it proved true: its log odds divided by a temperature, and shifted.

    >>> calibrated(0.9, 1.0), round(calibrated(0.9, 2.0), 2)
    (0.9, 0.75)
    """
    if temperature == 1 and not shift:
        return probability
    bounded = min(max(probability, 1e-9), 1 - 1e-9)
    odds = math.log(bounded / (1 - bounded)) / temperature + shift
    return 1 / (1 + math.exp(-odds))
