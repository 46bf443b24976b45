"""What is installed, on what machine, and what is wrong if anything."""

from visavis.doctor.examination import examine
from visavis.doctor.report import Finding, Health, Report

__all__ = ["Finding", "Health", "Report", "examine"]
