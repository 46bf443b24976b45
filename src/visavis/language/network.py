"""The parser's network, run by ONNX Runtime: a prompt in, probable outputs of the grammar out."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from visavis.encoders.tokens import WordTable, read_word_table
from visavis.encoders.tower import open_model
from visavis.errors import BadInputError, NotFoundError
from visavis.language.decoding import Grammar, State
from visavis.language.pieces import END, MARKS, START
from visavis.language.prompt import Prompt
from visavis.language.weights_format import ARRAYS, DECODER, DESCRIPTION, ENCODER, FORMAT
from visavis.types import UNREADABLE

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]
_REMEDY = "Train them with: visavis train parser"
#: So many of the likeliest pieces are tried under the grammar before all of them are.
_TRIED = 24
#: A beginning so much less probable than the best one (natural logarithm) is given up.
_FAR = 4.0


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

    def __init__(self, folder: Path, threads: int = 2) -> None:
        try:
            self.description: dict[str, Any] = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
            if self.description.get("format") != FORMAT:
                raise BadInputError(f"The weights in {folder} have another format.", "Train them with this version.")
            with np.load(folder / ARRAYS, allow_pickle=False) as stored:
                self._marks: FloatArray = stored["marks"].astype(np.float32)
                self._bias: FloatArray = stored["bias"].astype(np.float32)
                self.pieces: IntArray = stored["generated"].astype(np.int64)
            shape = self.description["shape"]
            self.longest, self.copies = int(shape["targets"]) - 2, bool(shape["copy"])
            heads = int(shape["decoder_heads"])
            self.past_shape = (2 * int(shape["decoder_layers"]), 1, heads, 0, int(shape["width"]) // heads)
        except (*UNREADABLE, AttributeError, KeyError) as error:
            if isinstance(error, BadInputError):
                raise
            raise NotFoundError(f"There are no usable weights in {folder}: {error}.", _REMEDY) from error
        self._table: WordTable = read_word_table()
        self._writable = self.vectors(self.pieces) * np.float32(8 * shape["width"] ** -0.5)
        self._encoder = open_model(folder / ENCODER, _REMEDY, threads=threads)
        self._decoder = open_model(folder / DECODER, _REMEDY)

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
        self, last: IntArray, place: int, past: FloatArray, read: FloatArray, copy_keys: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """One step: vectors to compare with words, logits of copying, of the gate, and what to keep for the next."""
        feeds = {
            "vectors": self.vectors(last)[:, None],
            "place": np.array([place], dtype=np.int64),
            "past": past,
            "read": read,
            "copy_keys": copy_keys,
        }
        words, copied, gate, present = self._decoder.run(None, feeds)
        return words, copied, gate, present

    def generated(self, words: FloatArray) -> FloatArray:
        """Probabilities ``[beams, pieces]`` of generating each piece."""
        logits = words @ self._writable.T + self._bias
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(likely / likely.sum(axis=1, keepdims=True))

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
        self._read, self._copy_keys = network.encode(vectors, kinds)
        #: Where the pieces of the input stand among those of the generator; those it lacks come after them.
        known = np.searchsorted(network.pieces, self._ids).clip(max=len(network.pieces) - 1)
        further = np.unique(self._ids[network.pieces[known] != self._ids])
        self._slots = np.where(
            network.pieces[known] == self._ids, known, len(network.pieces) + np.searchsorted(further, self._ids)
        )
        self._extra = len(further)
        self._pieces = np.concatenate([network.pieces, further])

    def search(self, grammar: Grammar, width: int) -> list[Output]:
        network = self._network
        beams, past = [_Beam(state=grammar.start())], np.zeros(network.past_shape, np.float32)
        done: list[tuple[float, tuple[int, ...]]] = []
        for place in range(network.longest):
            last = np.array([beam.pieces[-1] if beam.pieces else START for beam in beams], dtype=np.int64)
            words, copied, gate, present = network.decode(last, place, past, self._read, self._copy_keys)
            followers: list[tuple[float, int, int, State]] = []
            for at, (beam, logs) in enumerate(zip(beams, self._log_probabilities(words, copied, gate), strict=True)):
                for piece, log, state in self._allowed(grammar, beam, logs, width):
                    if state is None:
                        done.append((beam.score + log, beam.pieces))
                    else:
                        followers.append((beam.score + log, at, piece, state))
            followers.sort(key=lambda follower: -follower[0])
            done.sort(key=lambda pair: -pair[0])
            best = max(followers[0][0] if followers else -np.inf, done[0][0] if done else -np.inf)
            least = max(best - _FAR, done[width - 1][0] if len(done) >= width else -np.inf)
            kept = [one for one in followers[:width] if one[0] > least]
            if not kept:
                break
            beams = [_Beam((*beams[at].pieces, piece), score, state) for score, at, piece, state in kept]
            past = present[:, [at for _, at, _, _ in kept]]
        return [Output(pieces, float(np.exp(score))) for score, pieces in done[:width]]

    def _log_probabilities(self, words: FloatArray, copied: FloatArray, gate: FloatArray) -> FloatArray:
        """Log probabilities ``[beams, pieces]`` of the pieces: generated, copied, or both."""
        network = self._network
        generated = network.generated(words)
        if not network.copies:
            return np.asarray(np.log(generated + 1e-20))
        share = (1 / (1 + np.exp(-gate.astype(np.float64))))[:, None]
        pointed = np.exp(copied - copied.max(axis=1, keepdims=True))
        pointed /= pointed.sum(axis=1, keepdims=True)
        total = np.concatenate([generated * (1 - share), np.zeros((len(words), self._extra))], axis=1)
        for at, row in enumerate(pointed * share):
            total[at] += np.bincount(self._slots, weights=row, minlength=total.shape[1])
        return np.asarray(np.log(total + 1e-20))

    def _allowed(
        self, grammar: Grammar, beam: _Beam, logs: FloatArray, width: int
    ) -> list[tuple[int, float, State | None]]:
        """The likeliest pieces that the grammar allows; the end has no state.

        What is refused on the way gives its probability to what is allowed: the rest of a word that has begun is sure.
        """
        found: list[tuple[int, float, State | None]] = []
        refused = 0.0
        tried = np.argpartition(-logs, _TRIED)[:_TRIED]
        for at in tried[np.argsort(-logs[tried])]:
            if len(found) >= width:
                break
            piece, log = int(self._pieces[at]), float(logs[at])
            if (one := self._step(grammar, beam, piece, log)) is None:
                refused += float(np.exp(log))
            else:
                found.append(one)
        if not found:
            for at in np.argsort(-logs)[_TRIED:]:
                if one := self._step(grammar, beam, int(self._pieces[at]), float(logs[at])):
                    found.append(one)
                    break
        mass = sum(float(np.exp(log)) for _, log, _ in found)
        left = float(np.log(max(1 - refused, mass, 1e-12)))
        return [(piece, log - left, state) for piece, log, state in found]

    @staticmethod
    def _step(grammar: Grammar, beam: _Beam, piece: int, log: float) -> tuple[int, float, State | None] | None:
        if piece == END:
            return (piece, log, None) if grammar.ends(beam.state) else None
        state = grammar.step(beam.state, piece)
        return None if state is None else (piece, log, state)
