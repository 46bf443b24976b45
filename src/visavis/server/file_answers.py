"""Files as responses: read from the disk as fast as their client takes them, and counted."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import BinaryIO

from visavis.server.dependencies import Services
from visavis.server.events import ClosingResponse
from visavis.server.security import Identity

_CHUNK = 1 << 16


class FileAnswer(ClosingResponse):
    """A response with the content of an open file, which it closes.

    A response of bytes stays in memory until its client has read it, and a client may take hours.

    Args:
        file: The file.
        media: Its media type.
        headers: More headers.
        on_end: Called when the response has ended.
    """

    def __init__(self, file: BinaryIO, media: str, headers: Mapping[str, str], on_end: Callable[[], None]) -> None:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        super().__init__(_chunks(file), media_type=media, headers={**headers, "Content-Length": str(size)})

        def ended() -> None:
            file.close()
            on_end()

        self.on_end = ended


async def file_answer(
    services: Services, who: Identity, made: Callable[[], Awaitable[tuple[BinaryIO, str, Mapping[str, str]]]]
) -> FileAnswer:
    """Make a file, with its media type and headers, and answer with it.

    Raises:
        TooMuchError: Too many files are on their way to this user: slow clients would fill the disk.
    """
    end = services.downloads.open(who.name)
    try:
        file, media, headers = await made()
        return FileAnswer(file, media, headers, end)
    except BaseException:
        end()
        raise


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while part := file.read(_CHUNK):
        yield part
