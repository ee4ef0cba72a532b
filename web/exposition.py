"""Prometheus' text format of what `store.metrics` counted; loaded when somebody scrapes, because no page needs it.

A counter that nothing has raised yet stands there as 0, so that a rule on it works from the first day.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from alerts.rules import RULES
from config.version import VERSION
from model import MALLS, JobStatus
from tasks.flow import PATH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from prometheus_client.core import Metric

    from store.metrics import Count, Gauges

STAGES = tuple(stage for stage in PATH if stage != "submit")
QUEUES = (*STAGES, "ops")
BUCKETS = ("0.01", "0.05", "0.1", "0.5", "1", "2.5", "5", "15", "60", "+Inf")
NOTICES = ("sent", "retry", "failed", "dropped")
OUTCOMES = ("found", "not_found", "no_safe_match", "dead", "cancelled")


def text(now: Gauges, counts: list[Count], caps: dict[str, float]) -> bytes:
    """All families.

    Args:
        now: the gauges.
        counts: everything that was counted.
        caps: what a scope (day, hour) may spend, USD; 0 = no cap.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collector([*_gauges(now, caps), *_counters(counts)]))
    return generate_latest(registry)


class _Collector:
    """Families that were made already."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        """As prometheus_client asks for them."""
        return self._families


def _gauges(now: Gauges, caps: dict[str, float]) -> Iterator[Metric]:
    yield _gauge("lps_jobs", "Searches by status.", "state", {s.name.lower(): now.jobs.get(s, 0) for s in JobStatus})
    oldest = dict.fromkeys(QUEUES, 0.0) | now.queues
    yield _gauge("lps_queue_oldest_seconds", "Age of the oldest message that may run.", "queue", oldest)
    yield _gauge("lps_workers", "Worker processes.", "state", {"alive": now.workers, "lost": now.lost})
    yield GaugeMetricFamily(
        "lps_worker_heartbeat_age_seconds", "The oldest heartbeat of a living worker.", value=now.heartbeat_s
    )
    ports = {"usable": now.usable_ports, "resting": now.resting_ports}
    yield _gauge("lps_proxy_ports", "Proxy ports.", "state", ports)
    states = dict.fromkeys(RULES, 0) | now.alerts
    yield _gauge("lps_alert_state", "0 ok, 1 pending, 2 unknown, 3 firing.", "rule", states)
    left = {scope: max(0.0, cap - now.used_usd.get(scope, 0)) for scope, cap in caps.items() if cap}
    yield _gauge("lps_budget_remaining_usd", "What may still be spent (Seoul's day and hour).", "scope", left)
    yield GaugeMetricFamily(
        "lps_notify_last_success_timestamp_seconds", "When a notice was delivered last.", value=now.notified_at
    )
    yield GaugeMetricFamily(
        "lps_alert_evaluated_timestamp_seconds", "When the alert rules were evaluated last.", value=now.evaluated_at
    )
    yield _gauge("lps_build_info", "This version.", "version", {VERSION: 1})


def _counters(counts: list[Count]) -> Iterator[Metric]:
    by_name: dict[str, dict[str, Count]] = {}
    for count in counts:
        by_name.setdefault(count.name, {})[count.label] = count
    yield _attempts(by_name.get("attempt", {}))
    yield _durations(by_name.get("attempt", {}), by_name.get("took", {}))
    for name, of, text, label, always in (
        ("lps_searches", "job", "Searches that ended.", "outcome", OUTCOMES),
        ("lps_blocks", "block", "Refusals by malls.", "mall", MALLS),
        (
            "lps_notify_attempts",
            "notice",
            "Tries to deliver a notice.",
            "outcome",
            ("sent", "retry", "failed", "dropped"),
        ),
    ):
        found = {key: count.n for key, count in by_name.get(of, {}).items()}
        yield _counter(name, text, label, dict.fromkeys(always, 0.0) | found)
    cost = {key: count.total for key, count in by_name.get("cost", {}).items()}
    yield _counter("lps_cost_usd", "Money spent.", "kind", {"ai": 0.0, "proxy": 0.0} | cost)


def _attempts(counts: dict[str, Count]) -> Metric:
    family = CounterMetricFamily("lps_stage_attempts", "Tries of stages.", labels=("stage", "outcome"))
    seen = dict.fromkeys((f"{stage}/done" for stage in STAGES), 0.0) | {key: count.n for key, count in counts.items()}
    for key, n in sorted(seen.items()):
        family.add_metric(key.split("/", 1), n)
    return family


def _durations(attempts: dict[str, Count], took: dict[str, Count]) -> Metric:
    family = HistogramMetricFamily("lps_stage_duration_seconds", "How long tries of stages took.", labels=("stage",))
    stages = {key.split("/", 1)[0] for key in attempts} | set(STAGES)
    for stage in sorted(stages):
        buckets, so_far = [], 0.0
        for bucket in BUCKETS:
            so_far += took[f"{stage}/{bucket}"].n if f"{stage}/{bucket}" in took else 0.0
            buckets.append((bucket, so_far))
        total = sum(count.total for key, count in attempts.items() if key.split("/", 1)[0] == stage)
        family.add_metric((stage,), buckets=buckets, sum_value=total)
    return family


def _gauge(name: str, text: str, label: str, values: dict[str, float] | dict[str, int]) -> Metric:
    family = GaugeMetricFamily(name, text, labels=(label,))
    for key, value in values.items():
        family.add_metric((key,), value)
    return family


def _counter(name: str, text: str, label: str, values: dict[str, float]) -> Metric:
    family = CounterMetricFamily(name, text, labels=(label,))
    for key, value in values.items():
        family.add_metric((key,), value)
    return family
