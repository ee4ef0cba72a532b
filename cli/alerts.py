"""`lps alerts`: what rings, what rang, and who holds it back."""

from __future__ import annotations

import click

from cli.operator import operated, table


@click.group()
def alerts() -> None:
    """Alert rules: what rings, what rang, and who holds it back. What each means is in docs/runbook.md."""


@alerts.command("list")
@operated
def show(*, who: str) -> int:
    """Each rule with its value, the most urgent first; exit 3 when one fires."""
    del who
    from tasks import alerting  # noqa: PLC0415 - reads the settings as it is loaded

    board = alerting.board()
    held = {silence.rule: silence for silence in board.silences}
    rows = []
    for state in board.states:
        silence = held.get(state.rule)
        note = (
            f"silenced until {silence.until.astimezone():%m-%d %H:%M} by {silence.who}: {silence.reason}"
            if silence
            else ""
        )
        calm = state.state == "ok"
        rows.append(
            (state.rule, state.labels, state.state, "" if calm else state.since, note or ("" if calm else state.text))
        )
    table(("rule", "of", "state", "since", ""), rows)
    clock = board.clock
    if clock is None:
        print("no evaluation yet: is the clock running (lps scheduler)?")
    else:
        ping = "" if clock.ping_status is None else f"; outside watchdog: {clock.ping_status or 'no answer'}"
        print(f"evaluated {clock.late_s:.0f} s ago, {clock.unknown} of {clock.rules} rules could not be measured{ping}")
    return 3 if any(state.state == "firing" for state in board.states) else 0


@alerts.command()
@click.argument("rule")
@operated
def test(*, rule: str, who: str) -> int:
    """Send one notice of RULE, marked as a test, and print what the receiver said; exit 1 unless it was 2xx."""
    del who
    from tasks import alerting  # noqa: PLC0415 - as above

    said = alerting.test(rule)
    print(f"{'sent' if said.sent else 'not delivered'}: {said.status or 'no answer'} {said.answer}".rstrip())
    return 0 if said.sent else 1


@alerts.command()
@click.argument("rule")
@click.option("--hours", type=float, default=4, show_default=True, help="For how long.")
@click.option("--of", "labels", default="*", show_default=True, help="One mall, queue or host only; * is all.")
@click.option("--reason", required=True, help="Why; the overview shows it.")
@operated
def silence(*, rule: str, hours: float, labels: str, reason: str, who: str) -> int:
    """Hold RULE's notices back for a while; it is evaluated and shown all the same."""
    from tasks import alerting  # noqa: PLC0415 - as above

    until = alerting.silence(rule, hours=hours, reason=reason, who=who, labels=labels)
    print(f"{rule}: silent until {until.astimezone():%Y-%m-%d %H:%M}")
    return 0


@alerts.command()
@click.argument("rule")
@operated
def unsilence(*, rule: str, who: str) -> int:
    """End RULE's silences now."""
    from tasks import alerting  # noqa: PLC0415 - as above

    ended = alerting.unsilence(rule, who=who)
    print(f"{rule}: {'is told again' if ended else 'was not silenced'}")
    return 0


@alerts.command()
@click.argument("rule", required=False)
@click.option("--limit", type=click.IntRange(1, 1000), default=30, show_default=True)
@operated
def history(*, rule: str | None, limit: int, who: str) -> int:
    """What happened, of RULE or of all, and every try to deliver a notice."""
    del who
    from tasks import alerting  # noqa: PLC0415 - as above

    happened, tries = alerting.history(rule, limit=limit)
    table(
        ("at", "rule", "of", "event", "value", "", "notice"),
        [
            (one.at, one.rule, one.labels, one.event, f"{one.value:g}", one.text, (one.notice or "")[:8])
            for one in happened
        ],
    )
    if tries and rule is None:
        print()
        table(
            ("at", "notice", "delivery", "HTTP", "answer", "ms"),
            [(one.at, one.notice[:8], one.outcome, one.status, one.answer, one.took_ms) for one in tries],
        )
    return 0
