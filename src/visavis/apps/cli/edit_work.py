"""Editing one picture from file to file."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from visavis.apps.cli.edit_jobs import STANDARD, Job
from visavis.editing.editor import Editor, EditResult
from visavis.editing.files import save_file, write_text
from visavis.editing.manifest import describe
from visavis.editing.recipe import EditRecipe
from visavis.errors import BadInputError, VisavisError


class NotSureError(VisavisError):
    """A named thing was not surely found, so nothing was written."""

    exit_code = 7


@dataclass
class Work:
    """What is done to every picture, and with what.

    Attributes:
        recipe: The edits.
        editor: Who carries them out.
        keep_exif: Whether what the camera wrote is kept.
        confirmed: Whether to go on where a thing was not surely found.
        force: Whether files may be overwritten.
        manifest: Where to write how it was made.
        mask: Where to show what was not surely found.
        written: What this run has written: never overwritten, because nobody meant that.
    """

    recipe: EditRecipe
    editor: Editor
    keep_exif: bool
    confirmed: bool
    force: bool
    manifest: Path | None
    mask: Path | None
    written: set[Path] = field(default_factory=set)

    def do(self, job: Job) -> dict[str, Any]:
        """Edit one picture and write it; what is told of it in JSON."""
        started = time.perf_counter()
        if not job.into_folder and job.output != STANDARD:
            self._refuse_overwriting(job, [Path(job.output)])
        self._refuse_overwriting(job, [path for path in (self.manifest, self.mask) if path])
        source = job.open()
        result = self.editor.edit(source.image, self.recipe.active, confirmed=self.confirmed)
        if not result.done:
            _ask(result, self.mask)
        target = job.target(result.image)
        exif = source.exif if self.keep_exif else b""
        if job.output != STANDARD:
            self._refuse_overwriting(job, [target])
            self.written.add(target.resolve())
        job.write(result.image, target, exif)
        if self.manifest is not None:
            made = describe(result, self.editor, Path(job.source).name, source.sha256, source.id)
            write_text(made.to_json(), self.manifest)
        return {
            "input": job.source,
            "commands": [str(command) for command in result.applied],
            "output": STANDARD if job.output == STANDARD else str(target),
            "size": list(result.image.size),
            "seconds": round(time.perf_counter() - started, 3),
            "source": source.sha256,
            "located": [{"phrase": found.phrase, "confidence": found.confidence} for found in result.located],
        }

    def _refuse_overwriting(self, job: Job, outputs: list[Path]) -> None:
        for path in outputs:
            if path.resolve() in self.written:
                raise BadInputError(f"{path} was just written from another picture.", "Use different folders for them.")
            if path.exists() and not self.force:
                own = Path(job.source).exists() and path.samefile(job.source)
                what = "is the picture itself" if own else "exists already"
                raise BadInputError(f"{path} {what}.", "Choose another file, or overwrite it with --force.")


def _ask(result: EditResult, mask: Path | None) -> None:
    shown = "Look at it with --mask FILE.png, then"
    if mask is not None and result.preview is not None:
        save_file(result.preview, mask)
        shown = f"What was found is shown in {mask};"
    found = result.located[-1]
    raise NotSureError(
        f"'{found.phrase}' was not surely found (confidence {found.confidence:.2f}); nothing was changed.",
        f"{shown} go on with --yes, or say more exactly what is meant.",
    )
