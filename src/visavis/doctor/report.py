"""What an examination gives: facts for a person or a script, and findings with their remedies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Health(StrEnum):
    """How bad a finding is: with a broken one visavis does not work."""

    FINE = "fine"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what it is, how it is, and what to do where it is not fine."""

    topic: str
    health: Health
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class Report:
    """Everything an examination found.

    Attributes:
        version: Of visavis.
        python: The interpreter's version.
        platform: The system, in words.
        home: The folder where visavis keeps its things.
        packages: What visavis stands on, and which version is installed (None: not).
        extras: The optional parts, and which packages each lacks.
        machine: Cores, and bytes of memory and of free disk at home, as far as the system tells.
        findings: In the order they were looked at.
    """

    version: str
    python: str
    platform: str
    home: str
    packages: Mapping[str, str | None]
    extras: Mapping[str, list[str]]
    machine: Mapping[str, int | None]
    findings: list[Finding] = field(default_factory=list)

    @property
    def healthy(self) -> bool:
        """Whether visavis works here."""
        return all(finding.health is not Health.BROKEN for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """The report as plain values."""
        extras = {name: {"available": not missing, "missing": missing} for name, missing in self.extras.items()}
        return {"healthy": self.healthy, **asdict(self), "extras": extras}
