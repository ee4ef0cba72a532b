"""`lps load`: what is printed of searches that ended."""

from __future__ import annotations

from cli.load import Ended, report


def test_throughput_latency_outcomes_and_cost_are_told() -> None:
    """From the stored metrics; a median of all, not of those that were found."""
    metrics = {
        "cost": {"ai_usd": "0.000150", "proxy_usd": "0.001", "total_usd": "0.001150"},
        "crawl": {"proxy_bytes": 1000},
    }
    ended = [Ended(seconds, "found" if seconds < 9 else "not_found", metrics) for seconds in range(1, 11)]
    lines = report(ended, 20.0)
    assert "10 in 20.0 s = 1,800 an hour" in lines[0]
    assert "p50 5.50 s  p95 9.55 s  max 10.00 s" in lines[1]
    assert "found 8  not_found 2" in lines[2]
    assert "AI 0.001500 USD  proxy 0.010000 USD (10,000 bytes)  total 0.011500 USD" in lines[3]
