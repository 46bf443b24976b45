"""The assistant ties everything together: a message in, a turn out."""

from visavis.assistant.assistant import Assistant

__all__ = ["Assistant"]
