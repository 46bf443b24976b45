"""Decode pictures in child processes, which have limits of memory and processor time and can be killed.

A header tells what most files cost; for the others (formats with large decoders, many scans, large canvases) and for
files of strangers a child does the work. A decoder that runs for too long, takes too much memory or crashes ends with
its child.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from threading import BoundedSemaphore, Lock, Timer
from typing import IO, Any, cast

from PIL import Image

from visavis.pictures.decoder import (
    DEFAULT_LIMITS,
    DecodeLimits,
    DecodeTask,
    OpenedPicture,
    decode,
    heif_is_ready,
    no_room,
)
from visavis.pictures.picture import FailureReason, PictureError, content_id

#: Processor time of one picture; 200 megapixels of JPEG 2000 take half of it.
SECONDS = 30.0
#: Time by the clock, on a machine that is busy with other work.
_SECONDS_BY_THE_CLOCK = 300.0
#: Memory of a child beyond what it has when it starts: estimates of the header are right to a half.
_MEMORY = DEFAULT_LIMITS.memory + DEFAULT_LIMITS.memory // 2
#: Children at once.
_CHILDREN = 2


class DecoderFailedError(Exception):
    """What a decoder raised in a child."""


class DecoderPool:
    """A few child processes; thread-safe. One that fails is replaced by the next picture's.

    Args:
        children: How many at most; further pictures wait.
        seconds: Processor time of one picture.
        memory: Bytes that a child may take.
    """

    def __init__(self, children: int = _CHILDREN, seconds: float = SECONDS, memory: int = _MEMORY) -> None:
        self._seconds, self._memory = seconds, memory
        self._room = BoundedSemaphore(children)
        self._idle: list[_Child] = []
        self._lock = Lock()

    def decode(self, data: bytes, task: DecodeTask) -> OpenedPicture:
        """Decode a file as :func:`visavis.pictures.decoder.decode` does.

        Raises:
            PictureError: It cannot be decoded within the limits.
            DecoderFailedError: The decoder failed; the file is damaged.
        """
        name, kind = task.name, task.kind
        with self._room:
            try:
                child = self._take()
            except OSError as error:
                detail = f"no process can be started to decode it ({error.strerror})"
                raise PictureError(FailureReason.UNREADABLE, name, detail) from error
            try:
                told, pixels = child.ask({**asdict(task), "id": ""}, data, 4 * task.limits.pixels)
            except _ChildEndedError as ended:
                raise PictureError(FailureReason.TOO_LARGE, name, ended.why(self._seconds)) from ended
            except BaseException:  # an interrupt while it works: its answer must not be the next picture's
                child.kill()
                raise
            with self._lock:
                self._idle.append(child)
        if "reason" in told:
            raise PictureError(FailureReason(told["reason"]), name, str(told["detail"]))
        if "failed" in told:
            raise DecoderFailedError(str(told["failed"]))
        image = Image.frombytes(str(told["mode"]), (int(told["size"][0]), int(told["size"][1])), pixels)
        sides = int(told["width"]), int(told["height"])
        return OpenedPicture(task.id or content_id(data), image, *sides, len(data), kind, dict(told["attributes"]))

    def close(self) -> None:
        """End the children that are idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.kill()

    def _take(self) -> _Child:
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.lives:
                    return child
        return _Child(self._seconds, self._memory)


@cache
def shared_pool() -> DecoderPool:
    """The children of this process; none is started before it is needed."""
    return DecoderPool()


if hasattr(os, "register_at_fork"):  # the children of a forked process are not its own
    os.register_at_fork(after_in_child=shared_pool.cache_clear)


class _ChildEndedError(Exception):
    """A child ended before it answered."""

    def __init__(self, status: int, *, late: bool) -> None:
        super().__init__(status)
        self.status, self.late = status, late

    def why(self, seconds: float) -> str:
        """The reason in words."""
        if self.late or (os.name == "posix" and self.status == -signal.SIGPROF):
            return f"decoding it takes longer than the {seconds:g} s allowed"
        return f"its decoder crashed or took too much memory ({self.status})"


class _Child:
    """One child process, which answers one request after the other."""

    def __init__(self, seconds: float, memory: int) -> None:
        command = [sys.executable, "-P", "-m", __name__, str(seconds), str(memory)]  # -P: not from the present folder
        self._process = subprocess.Popen(  # noqa: S603  # our own module in our own interpreter
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._requests: IO[bytes] = cast("IO[bytes]", self._process.stdin)
        self._answers: IO[bytes] = cast("IO[bytes]", self._process.stdout)

    @property
    def lives(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def ask(self, header: dict[str, Any], body: bytes, largest: int) -> tuple[dict[str, Any], bytes]:
        """Send a request and wait for the answer; it may be killed meanwhile."""
        late: list[bool] = []

        def give_up() -> None:
            late.append(True)
            self._process.kill()

        timer = Timer(_SECONDS_BY_THE_CLOCK, give_up)
        timer.daemon = True
        timer.start()
        try:
            write_frame(self._requests, header, body)
            answer = read_frame(self._answers, largest)
        except (OSError, ValueError):  # the pipe broke in the middle, or the child wrote nonsense
            answer = None
        finally:
            timer.cancel()
        if answer is None:
            self.kill()
            raise _ChildEndedError(self._process.returncode, late=bool(late))
        return answer

    def kill(self) -> None:
        """End it at once."""
        with suppress(OSError):
            self._requests.close()
        try:
            self._process.wait(timeout=0.2)  # how it ended by itself
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._answers.close()


# -- in the child ------------------------------------------------------------------------------------------


def main(seconds: float, memory: int) -> None:
    """Answer requests until there are no more."""
    answers = become_child(memory)
    while request := read_frame(sys.stdin.buffer, DEFAULT_LIMITS.file_bytes):
        limit_time(seconds)
        header, pixels = _answer(*request)
        limit_time(0)
        write_frame(answers, header, pixels)


def _answer(asked: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
    task = DecodeTask(**{**asked, "limits": DecodeLimits(**asked["limits"])})
    try:
        if task.kind == "HEIF":
            heif_is_ready()
        opened = decode(data, task)
        pixels = opened.image.tobytes()
    except PictureError as error:
        return {"reason": error.reason, "detail": error.detail}, b""
    except (Image.DecompressionBombError, MemoryError) as error:
        return {"reason": FailureReason.TOO_LARGE, "detail": no_room(error)}, b""
    except Exception as error:  # decoders may raise anything on damaged bytes
        return {"failed": str(error)}, b""
    shape = {"mode": opened.image.mode, "size": opened.image.size, "width": opened.width, "height": opened.height}
    return {**shape, "attributes": opened.attributes}, pixels


_LARGEST_HEADER = 1 << 20
_PR_SET_PDEATHSIG = 1


def become_child(memory: int) -> IO[bytes]:
    """Take the limits of a child process; returns the pipe for its answers.

    Args:
        memory: Bytes that it may take beyond what it has now, where the system can tell.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    if sys.platform == "linux":  # do not outlive the parent
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints is no answer
    with suppress(ImportError, OSError, ValueError):
        import resource

        taken = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return answers


def limit_time(seconds: float) -> None:
    """End this process after so much processor time, where the system can; 0 for no limit."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


# -- frames: the lengths of a JSON header and of a body, then both; no pickles, which a taken-over child could abuse


def write_frame(file: IO[bytes], header: dict[str, Any], body: bytes = b"") -> None:
    """Send a header and a body."""
    text = json.dumps(header).encode()
    file.write(len(text).to_bytes(4, "big") + len(body).to_bytes(8, "big") + text)
    file.write(body)
    file.flush()


def read_frame(file: IO[bytes], largest: int) -> tuple[dict[str, Any], bytes] | None:
    """The next header and body; None at the end.

    Raises:
        ValueError: It is no frame, or a body larger than allowed.
    """
    lengths = file.read(12)
    if len(lengths) < 12:
        return None
    header, body = int.from_bytes(lengths[:4], "big"), int.from_bytes(lengths[4:], "big")
    if header > _LARGEST_HEADER or body > largest:
        raise ValueError("The frame is too large.")
    text, content = file.read(header), file.read(body)
    return (dict(json.loads(text)), content) if len(content) == body else None


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
