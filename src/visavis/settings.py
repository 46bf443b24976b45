"""The environment variables that the library itself reads; those of commands are declared with their options.

``VISAVIS_HOME`` is read in ``visavis.home``: every command needs it, and importing pydantic would take longer than
the rest of the command line.
"""

from __future__ import annotations

from pydantic_settings import BaseSettings, SettingsConfigDict


class Environment(BaseSettings):
    """The variables ``VISAVIS_...``; one that is empty counts as not set.

    Attributes:
        qdrant_api_key: The key of a Qdrant server.
        llm_url: The base address of a language model that words questions and may read messages.
        llm_model: Which model.
        llm_key: The key of its endpoint.
        llm_seconds: How long it may take to answer.
    """

    model_config = SettingsConfigDict(
        env_prefix="VISAVIS_", env_ignore_empty=True, extra="ignore", str_strip_whitespace=True
    )

    qdrant_api_key: str | None = None
    llm_url: str = ""
    llm_model: str = "default"
    llm_key: str = ""
    llm_seconds: float = 4.0
