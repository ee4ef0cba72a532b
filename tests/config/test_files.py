"""config.toml and its example: complete, commented, and in step with the models."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import config
from config.settings import LEAVES
from config.sources import OLD_SECTIONS
from model import MALLS

if TYPE_CHECKING:
    from tests.config.conftest import Place

TEXT = config.BUILT_IN.read_text(encoding="utf-8")
EXAMPLE = (config.ROOT / "config.local.toml.example").read_text(encoding="utf-8")


def leaves(table: dict[str, object], path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """The path of every value in a table."""
    found = set()
    for key, value in table.items():
        found |= leaves(value, (*path, key)) if isinstance(value, dict) else {(*path, key)}
    return found


def test_every_key_stands_in_the_models_and_in_the_file() -> None:
    """config.toml is the whole list of settings, no more and no less."""
    assert leaves(tomllib.loads(TEXT)) == set(LEAVES)


def test_every_key_has_a_comment_of_its_own() -> None:
    """The line above a key says what it means, with unit and reason."""
    lines = TEXT.splitlines()
    keys = [n for n, line in enumerate(lines) if re.match(r"\w+ = ", line)]
    assert len(keys) == len(LEAVES)
    assert [lines[n] for n in keys if not re.match(r"# .{10,}[.:;,\w)]$", lines[n - 1])] == []


def test_the_blocks_stand_in_the_order_of_the_models() -> None:
    """One order, that of a search, in both."""
    assert list(tomllib.loads(TEXT)) == list(config.Settings.model_fields)


def test_no_secret_stands_in_the_built_in_file() -> None:
    """Secrets are the operator's."""
    settings = config.load(env={}, root=config.ROOT / "tests")
    assert [key for key, shown, _ in settings.explain() if "*****" in shown] == []


def test_every_mall_has_a_block_of_its_name() -> None:
    """One word a mall."""
    settings = config.load(env={}, root=config.ROOT / "tests")
    assert [settings.mall(name).enabled for name in MALLS] == [True] * len(MALLS)


def test_the_example_works_as_it_is_and_filled_in(place: Place) -> None:
    """A copied example changes nothing; with its lines uncommented it is still understood."""
    same = [row[:2] for row in place.load(EXAMPLE).explain()]
    assert same == [row[:2] for row in config.load(env={}, root=place.root / "none").explain()]
    filled = re.sub(r"^# (\w+ = )", r"\1", EXAMPLE, flags=re.MULTILINE)
    filled = filled.replace('id = "", secret = ""', 'id = "a", secret = "b"')
    settings = place.load(filled)
    assert (settings.database.host, settings.naver.keys[1].id) == ("127.0.0.1", "a")


def test_the_example_tells_of_every_old_section() -> None:
    """An operator with an old file finds its names."""
    assert [name for name in OLD_SECTIONS if f"[{name}]" not in EXAMPLE] == []
