"""The learned parser: a small generator-extractor network, run by ONNX Runtime."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from visavis.arrays import UNREADABLE
from visavis.encoders.tower import open_model
from visavis.errors import BadInputError, NotFoundError
from visavis.language.base import NO_CONTEXT, Parser, Understanding
from visavis.language.commands import Chat, Clarify, Command, Filter, Sort, parse_command
from visavis.language.context import Context
from visavis.language.replies import reply_to
from visavis.language.rules.grounding import field_for, values_in
from visavis.language.tokens import END, LONGEST_TARGET, PAD, START, Encoded, decode_target, encode_input

FloatArray = NDArray[np.float32]

#: What a folder of weights holds.
DESCRIPTION, READER, WRITER, VECTORS = "parser.json", "reader.onnx", "writer.onnx", "vectors.npz"
#: The layout that this code reads; weights of another one are refused.
FORMAT = 1
_REMEDY = "Train them with: visavis train commands"


@dataclass(frozen=True)
class Written:
    """What the network wrote: the pieces, and the probability of each."""

    pieces: tuple[int, ...]
    probabilities: tuple[float, ...]

    @property
    def confidence(self) -> float:
        """The probability of the whole."""
        return float(np.prod(self.probabilities)) if self.probabilities else 0.0


class CommandWriter:
    """The network with its vectors: encoded input in, pieces of commands out."""

    def __init__(self, folder: Path) -> None:
        try:
            self.description = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
            if self.description.get("format") != FORMAT:
                raise BadInputError(f"The weights in {folder} have another format.", "Train them with this version.")
            with np.load(folder / VECTORS, allow_pickle=False) as stored:
                self._rows: NDArray[np.int8] = stored["rows"]
                self._scales: FloatArray = stored["scales"].astype(np.float32)
            self._generated = np.array(self.description["generated"], dtype=np.int64)
        except (*UNREADABLE, AttributeError) as error:
            if isinstance(error, BadInputError):
                raise
            raise NotFoundError(f"There are no usable weights in {folder}: {error}.", _REMEDY) from error
        self._slots = {int(piece): at for at, piece in enumerate(self._generated)}
        self._reader, self._writer = open_model(folder / READER, _REMEDY), open_model(folder / WRITER, _REMEDY)

    def _vectors(self, ids: NDArray[np.int64]) -> FloatArray:
        return (self._rows[ids].astype(np.float32) * self._scales[ids][:, None])[None]

    def write(self, encoded: Encoded) -> Written:
        """The likeliest pieces, one after the other."""
        kinds = encoded.kinds[None]
        states = self._reader.run(None, {"vectors": self._vectors(encoded.ids), "kinds": kinds})[0]
        written, probabilities = [START], []
        while len(written) < LONGEST_TARGET:
            vectors = self._vectors(np.array(written, dtype=np.int64))
            piece, probability = self._next(states, kinds, vectors, encoded.ids)
            probabilities.append(probability)
            if piece == END:
                break
            written.append(piece)
        return Written(tuple(written[1:]), tuple(probabilities))

    def _next(
        self, states: FloatArray, kinds: NDArray[np.int64], vectors: FloatArray, ids: NDArray[np.int64]
    ) -> tuple[int, float]:
        """The likeliest next piece: generated, copied from what was said, or from what is seen."""
        gate, generated, said, seen = self._writer.run(None, {"states": states, "kinds": kinds, "written": vectors})
        gate = np.exp(gate[0, -1])
        likely: dict[int, float] = {}
        best = int(generated[0, -1].argmax())
        likely[int(self._generated[best])] = float(gate[0] * np.exp(generated[0, -1, best]))
        copied = gate[1] * np.exp(said[0, -1]) + gate[2] * np.exp(seen[0, -1])
        for piece in dict.fromkeys(ids.tolist()):
            if piece in (PAD, START):
                continue
            share = float(copied[ids == piece].sum())
            at = self._slots.get(piece)
            likely[piece] = share + (float(gate[0] * np.exp(generated[0, -1, at])) if at is not None else 0.0)
        chosen = max(likely, key=lambda piece: likely[piece])
        return chosen, min(1.0, likely[chosen])


@cache
def _writer_of(folder: Path | None) -> CommandWriter:
    if folder is not None:
        return CommandWriter(folder)
    with as_file(files("visavis.language").joinpath("weights")) as shipped:
        return CommandWriter(shipped)


def grounded(command: Command, context: Context) -> Command:
    """A command with the collection's own spelling of fields and values."""
    if not context.attributes or not isinstance(command, Filter | Sort):
        return command
    name = field_for(command.field, context.attributes) or command.field
    if isinstance(command, Sort):
        return Sort(name, command.order)
    own = {
        value.value.lower(): value.value
        for v in command.values
        if isinstance(v, str)
        for value in values_in(v, context.attributes)
    }
    values = tuple(own.get(v.lower(), v) if isinstance(v, str) else v for v in command.values)
    return Filter(name, command.comparison, values)


class LearnedParser(Parser):
    """Understands by a trained network; what it writes is checked, so that only valid commands leave it.

    Args:
        folder: The weights; those that ship with the package when None.
    """

    name = "learned"

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def write(self, encoded: Encoded) -> Written:
        """What the network writes for an encoded input."""
        return _writer_of(self._folder).write(encoded)

    def understand(self, message: str, context: Context = NO_CONTEXT) -> Understanding:
        """What a message asks for, in its context."""
        written = self.write(encode_input(message, context))
        commands: list[Command] = []
        confidence = written.confidence
        for line in decode_target(written.pieces):
            try:
                command = parse_command(line)
            except BadInputError:
                confidence *= 0.25  # it wrote something that is no command: little can be trusted
                continue
            commands.append(grounded(command, context))
        question = next((command for command in commands if isinstance(command, Clarify)), None)
        done = tuple(command for command in commands if not isinstance(command, Clarify))
        if not done and question is None:
            done, confidence = (Chat("nonsense"),), 0.1
        reply = reply_to(done[0].kind) if len(done) == 1 and isinstance(done[0], Chat) else None
        return Understanding(done, confidence, question, reply, self.name)
