"""Settings of the server."""

from __future__ import annotations

from dataclasses import replace

from visavis.server.settings import ServerSettings


def test_settings_reach_worker_processes(tmp_path, monkeypatch):
    settings = replace(ServerSettings.of(tmp_path, mode="keys"), workers=3, proxies=("10.0.0.0/8",))
    monkeypatch.setenv("VISAVIS_SERVER_SETTINGS", "")
    settings.export()
    assert ServerSettings.imported() == settings
