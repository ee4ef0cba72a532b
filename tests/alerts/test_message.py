"""A notice keeps its receivers' limits and calls nobody."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from alerts.message import Item, compose

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def item(n: int = 1, **fields: object) -> Item:
    """A firing rule."""
    given = {"kind": "firing", "rule": f"rule{n}", "labels": "", "text": "too many", "since": NOW} | fields
    return Item(**given)  # type: ignore[arg-type]  # a test's mixture


def test_a_hundred_alerts_are_one_message_of_ten_and_how_many_more() -> None:
    """Slack takes 50 blocks, 3,000 characters each, about 13,000 in all."""
    body = compose([item(n, text="x" * 5000) for n in range(100)], now=NOW)
    assert 12 == len(body["blocks"])
    assert "… and 90 more" in body["text"]
    assert all(len(block["text"]["text"]) <= 3000 for block in body["blocks"])
    assert len(body["text"]) < 13_000


def test_what_a_mall_wrote_calls_nobody_and_begins_no_line() -> None:
    """Mentions and links are escaped, line breaks are spaces."""
    body = compose([item(text="<!channel> & <http://evil|x>\n🔴 *dead*", labels="<@U1>")], now=NOW, snapshot="<!here>")
    assert "<" not in body["text"]
    assert 3 == len(body["text"].splitlines())
    assert "&lt;!channel&gt; &amp; " in body["text"]


def test_what_is_new_stands_first_and_an_end_says_how_long_and_how_bad() -> None:
    """Firing, not measured, repeated, resolved."""
    since = NOW - timedelta(minutes=23)
    body = compose(
        [
            item(1, kind="resolved", since=since, peak=41.0),
            item(2, kind="repeated", since=NOW - timedelta(hours=4)),
            item(3, kind="unknown", since=since, text="statement timeout"),
            item(4),
        ],
        now=NOW,
        origin="sandbox",
    )
    head, *lines = body["text"].splitlines()
    assert "LPS (sandbox): 2 firing, 1 not measured, 1 resolved" == head
    assert ["rule4", "rule3", "rule2", "rule1"] == [line.split("*")[1] for line in lines]
    assert "resolved after 23 min, peak 41" in lines[3]
    assert "for 4 h 0 min now" in lines[2]
    assert "could not be measured for 23 min: statement timeout" in lines[1]
