"""The environment variables that the library reads."""

from __future__ import annotations

from visavis.settings import Environment


def test_variables_are_read_at_each_use_and_empty_ones_are_not_set(monkeypatch):
    monkeypatch.setenv("VISAVIS_LLM_URL", "  http://127.0.0.1:9/v1 ")
    monkeypatch.setenv("VISAVIS_LLM_MODEL", "")
    monkeypatch.delenv("VISAVIS_QDRANT_API_KEY", raising=False)
    environment = Environment()
    assert (environment.llm_url, environment.llm_model) == ("http://127.0.0.1:9/v1", "default")
    assert environment.qdrant_api_key is None
    monkeypatch.setenv("VISAVIS_QDRANT_API_KEY", "secret")
    assert Environment().qdrant_api_key == "secret"
