"""What a language model answered, kept so that a run can be repeated without one."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from visavis.errors import BadInputError, NotFoundError
from visavis.language.endpoint import ChatClient, Endpoint

#: A replayed answer is never late.
_REPLAYED = Endpoint("", "transcript", seconds=3600.0)


class Transcript:
    """Answers from a file of JSON lines; what is not there is asked of a model, where there is one, and added."""

    def __init__(self, file: Path, endpoint: Endpoint | None = None) -> None:
        """Read what there is.

        Args:
            file: Lines of ``key``, ``model``, ``reply``, ``seconds`` and the last of the ``messages``.
            endpoint: The model; without one everything has to be in the file.
        """
        self.endpoint = _REPLAYED if endpoint is None else endpoint
        self._file = file
        self._client = None if endpoint is None else ChatClient(endpoint)
        self._known: dict[str, str | None] = {}
        if not file.is_file():
            if endpoint is None:
                raise NotFoundError(f"There is no transcript {file}.", "Set VISAVIS_LLM_URL to record one.")
            return
        try:
            rows = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]
            self._known = {str(row["key"]): row["reply"] for row in rows}
        except (ValueError, KeyError, TypeError) as error:
            raise BadInputError(f"{file} is no transcript: {error!r}.", "Record it anew.") from error

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        seconds: float | None = None,
        schema: Mapping[str, Any] | None = None,
        longest: int = 200,
    ) -> str | None:
        """What was answered to these messages, or is now.

        Raises:
            NotFoundError: It is not in the file, and there is no model.
        """
        text = json.dumps([dict(one) for one in messages], ensure_ascii=False, sort_keys=True)
        key = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        if key in self._known:
            return self._known[key]
        if self._client is None:
            raise NotFoundError(
                f"The transcript {self._file} does not have this dialogue.",
                "Repeat the run with the gallery, the seed and the targets that it was recorded with.",
            )
        begun = time.monotonic()
        reply = self._client.complete(messages, seconds, schema, longest)
        row = {"key": key, "model": self.endpoint.model, "reply": reply, "seconds": round(time.monotonic() - begun, 2)}
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({**row, "asked": messages[-1]["content"]}, ensure_ascii=False) + "\n")
        self._known[key] = reply
        return reply
