"""Check the installation and the machine."""

from visavis.doctor.examination import examine
from visavis.doctor.report import DoctorReport, Finding, Severity

__all__ = ["DoctorReport", "Finding", "Severity", "examine"]
