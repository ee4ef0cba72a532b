"""What every command has in common: help, usage, exit status, one line for an error."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click
import pytest

from cli import COMMANDS, lps
from config.version import VERSION

if TYPE_CHECKING:
    from tests.cli.conftest import Checkout


def test_help_lists_every_command_at_once(checkout: Checkout) -> None:
    """No command's file is imported for it: 0.1 s here, where one that loads the tasks takes 0.7 s."""
    checkout.run("--help")
    began = time.monotonic()
    done = checkout.run("--help")
    assert time.monotonic() - began < 0.5
    assert 0 == done.returncode
    assert [] == [name for name in COMMANDS if f"\n  {name} " not in done.stdout]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there(name: str) -> None:
    """The list and the files agree, and each has a help text."""
    command = lps.get_command(click.Context(lps), name)
    assert command is not None
    assert command.name == name
    assert command.help


@pytest.mark.parametrize(("typed", "hint"), [("serch", "did you mean search?"), ("qqq", "lps --help lists them")])
def test_a_mistyped_command_gets_the_nearest(checkout: Checkout, typed: str, hint: str) -> None:
    """Usage errors have exit status 2."""
    done = checkout.run(typed)
    assert (2, True, "") == (done.returncode, hint in done.stderr, done.stdout)


@pytest.mark.parametrize(
    "arguments",
    [
        ("search",),
        ("search", "x", "--deadline", "0"),
        ("search", "x", "--live", "--fixtures", "."),
        ("up", "--port", "x"),
    ],
)
def test_bad_usage_starts_nothing(checkout: Checkout, arguments: tuple[str, ...]) -> None:
    """Exit status 2, and the text says what is wrong."""
    done = checkout.run(*arguments)
    assert (2, "") == (done.returncode, done.stdout)
    assert "Error: " in done.stderr


def test_wrong_settings_are_all_said(checkout: Checkout) -> None:
    """`config check` lists every mistake, exit status 1; other commands say the same."""
    wrong = {"LPS_WEB__PORT": "high", "LPS_SERCH__DEADLINE_S": "1"}
    for arguments in (("config", "check"), ("search", "x"), ("up",)):
        done = checkout.run(*arguments, **wrong)
        assert 1 == done.returncode
        assert "LPS_WEB__PORT" in done.stderr
        assert "did you mean LPS_SEARCH__DEADLINE_S" in done.stderr


def test_settings_are_shown_with_their_source_and_without_secrets(checkout: Checkout) -> None:
    """Who asks why a value holds sees the variable or the file."""
    done = checkout.run("config", "show", OPENAI_API_KEY="sk-secret", LPS_WEB__THREADS="3")
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert ["3", "LPS_WEB__THREADS"] == rows["web.threads"]
    assert ["********", "OPENAI_API_KEY"] == rows["ai.api_key"]
    assert ["90", "config.toml"] == rows["search.deadline_s"]
    assert "sk-secret" not in done.stdout + done.stderr


def test_one_block_can_be_shown(checkout: Checkout) -> None:
    """An unknown block is a usage error."""
    shown = checkout.run("config", "show", "queue").stdout.splitlines()
    assert shown
    assert all(line.startswith("queue.") for line in shown)
    assert 2 == checkout.run("config", "show", "queues").returncode


def test_the_doctor_looks_at_everything(checkout: Checkout) -> None:
    """A bad line makes the exit status 1."""
    done = checkout.run("doctor", LPS_BROWSER__CHROMIUM="/nowhere/chromium")
    assert 1 == done.returncode
    assert "BAD  browser   missing: chromium" in done.stdout
    assert "ok   database" in done.stdout


def test_it_says_its_version(checkout: Checkout) -> None:
    """pyproject.toml's."""
    done = checkout.run("--version")
    assert (0, f"lps {VERSION}\n") == (done.returncode, done.stdout)


def test_help_texts_hold_no_markup(checkout: Checkout) -> None:
    """What keeps lines apart is not printed."""
    done = checkout.run("dead", "--help")
    assert "lps dead groups  " in done.stdout
    assert "\\b" not in done.stdout


def test_a_reader_that_leaves_gets_no_complaint(checkout: Checkout) -> None:
    """`lps … | head` prints nothing on stderr, not even as the interpreter ends."""
    with checkout.start("config", "show") as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        process.stderr.close()
        assert 1 == process.wait(20)
