"""Understanding by rules: one file for each kind of thing that people ask for."""

from visavis.language.rules.parser import RuleParser

__all__ = ["RuleParser"]
