"""Our own dialogues, generated: what the shipped weights of the learned parser are trained on."""

from visavis.lab.dialogues.dialogues import Example, examples

__all__ = ["Example", "examples"]
