"""What is counted, for Prometheus."""

from __future__ import annotations

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from visavis.apps.server.work import Work

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counters of one process, in a registry of their own so that several apps can live side by side."""

    def __init__(self, work: Work, light: Work) -> None:
        self._registry = CollectorRegistry()
        self._requests = Histogram(
            "visavis_request_seconds",
            "How long requests took.",
            ("method", "route", "status"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._going_on = Gauge("visavis_requests_going_on", "Requests being answered.", registry=self._registry)
        self._turns = Counter("visavis_turns", "Turns that were made.", registry=self._registry)
        for name, pool in (("work", work), ("light", light)):
            gauge = Gauge(f"visavis_{name}_pending", "Work being done or waiting.", registry=self._registry)
            gauge.set_function(partial(_pending, pool))

    def begin(self) -> None:
        """A request came."""
        self._going_on.inc()

    def end(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._going_on.dec()
        self._requests.labels(method, route, str(status)).observe(seconds)

    def turn(self) -> None:
        """A turn was made."""
        self._turns.inc()

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self._registry)


def _pending(pool: Work) -> float:
    return float(pool.pending)
