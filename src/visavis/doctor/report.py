"""The report of the doctor: facts about the installation, and findings with their remedies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """How bad a finding is: with a broken one, visavis does not work."""

    FINE = "fine"
    WARNING = "warning"
    BROKEN = "broken"


@dataclass(frozen=True)
class Finding:
    """The result of one check: its subject, its state, and what to do where it is not fine."""

    topic: str
    health: Severity
    detail: str
    remedy: str = ""


@dataclass(frozen=True)
class DoctorReport:
    """The facts and findings of an examination.

    Attributes:
        version: The version of visavis.
        python: The interpreter's version.
        platform: The system.
        home: The home folder.
        packages: The required packages and their installed versions (None: not installed).
        extras: The extras, and the missing packages of each.
        machine: Cores, and bytes of memory and of free disk at home, as far as the system reports them.
        findings: In the order of the checks.
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
        return all(finding.health is not Severity.BROKEN for finding in self.findings)

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        extras = {name: {"available": not missing, "missing": missing} for name, missing in self.extras.items()}
        return {"healthy": self.healthy, **asdict(self), "extras": extras}
