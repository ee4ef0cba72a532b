"""The laws of the tree: who may import whom, who owns what, one word per stage, and nothing grows too long."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from model import MALLS

ROOT = Path(__file__).parent.parent
PACKAGES = ("web", "cli", "tasks", "crawl", "ai", "alerts", "store", "config", "sandbox", "embedded")
LEAVES = ("model", "ruling", "errors", "config")
ALLOWED = {
    "model": (),
    "ruling": ("model",),
    "errors": ("model", "ruling"),
    "config": ("model", "errors"),
    "crawl": LEAVES,
    "ai": LEAVES,
    "alerts": LEAVES,
    "store": LEAVES,
    "tasks": ("crawl", "ai", "alerts", "store", *LEAVES),
    "web": ("tasks", "crawl", "ai", "alerts", "store", *LEAVES),
    "periodic": ("tasks", "crawl", "ai", "alerts", "store", *LEAVES),
    "cli": ("tasks", "crawl", "ai", "alerts", "store", "web", "embedded", "sandbox", *LEAVES),
    "embedded": ("errors",),
    "sandbox": ("model",),
}
OWNERS = {
    "selenium": ("crawl/browser",),
    "undetected_chromedriver": ("crawl/browser",),
    "openai": ("ai/client.py",),
    "psycopg2": ("store/pool.py",),
    "dramatiq_pg": ("tasks/queue/",),
    "flask": ("web/", "sandbox/"),
    "requests": ("crawl/http.py", "alerts/webhook.py", "cli/"),
}
STAGES = (*MALLS, "match", "persist", "outbox", "canary")


def sources() -> list[Path]:
    """Every Python file of the program, tests and benchmarks left out."""
    files = [ROOT / f"{name}.py" for name in ("model", "ruling", "errors", "periodic")]
    for package in PACKAGES:
        files += sorted((ROOT / package).rglob("*.py"))
    return [file for file in files if file.exists()]


def every_python_file() -> list[Path]:
    """The program, its tests and its benchmarks."""
    return sources() + sorted((ROOT / "tests").rglob("*.py")) + sorted((ROOT / "bench").rglob("*.py"))


def imported(file: Path) -> set[str]:
    """Top-level names that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def short(file: Path) -> str:
    """A path from the root, for messages."""
    return file.relative_to(ROOT).as_posix()


def test_import_arrows_point_down() -> None:
    """web, periodic, cli → tasks → crawl | ai | alerts | store → config → model, errors."""
    wrong = []
    for file in sources():
        own = short(file).split("/")[0].removesuffix(".py")
        foreign = imported(file) & set(ALLOWED) - {own, *ALLOWED[own]}
        wrong += [f"{short(file)} imports {name}" for name in sorted(foreign)]
    assert [] == wrong


def test_each_library_has_one_owner() -> None:
    """What a library can do wrong is dealt with in one place."""
    wrong = []
    for file in sources():
        foreign = [lib for lib in imported(file) & set(OWNERS) if not short(file).startswith(OWNERS[lib])]
        wrong += [f"{short(file)} imports {library}, which belongs to {OWNERS[library]}" for library in foreign]
    assert [] == wrong


def test_one_word_per_stage() -> None:
    """Actor = queue = config block = step of the path."""
    import tasks
    from config import Settings
    from tasks.flow import PATH

    assert set(STAGES) | {"submit"} == set(PATH)
    assert {*STAGES} == {name for name, actor in tasks.broker.actors.items() if actor.queue_name == name}
    for name in ("callback", "notice"):
        assert "outbox" == tasks.broker.actors[name].queue_name
    others = {
        actor.queue_name for name, actor in tasks.broker.actors.items() if name not in (*STAGES, "callback", "notice")
    }
    assert {"ops"} == others
    assert set(MALLS) <= set(Settings.model_fields)


def test_each_stage_says_where_it_stands() -> None:
    """A stage's file opens with what comes before and after it, and its queue."""
    for file in ("naver", "coupang", "fallback", "match", "persist", "outbox", "canary"):
        head = ast.get_docstring(ast.parse((ROOT / "tasks" / f"{file}.py").read_text(encoding="utf-8"))) or ""
        assert re.search(r"After .+Then .+Queue", head), file


def test_every_sql_statement_is_used_where_it_lies() -> None:
    """A statement that nobody runs, or that runs under another file's name, is a mistake."""
    from store.sql import load

    for path in [*(ROOT / "store").glob("*.sql"), *(ROOT / "tasks/queue").glob("*.sql")]:
        code = path.with_suffix(".py").read_text(encoding="utf-8")
        assert [] == [name for name in load(path) if f'SQL["{name}"]' not in code], path.name


def test_sql_stands_in_sql_files_only() -> None:
    """No statement is written in Python."""
    statement = re.compile(r"\b(SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b")
    wrong = [short(file) for file in sources() if statement.search(file.read_text(encoding="utf-8"))]
    assert [] == wrong


def test_every_mall_has_saved_pages_with_what_they_hold() -> None:
    """A parser without a page to read is a guess."""
    for mall in MALLS:
        pages = list((ROOT / "tests/pages" / mall).glob("*.expected.json"))
        assert pages, f"tests/pages/{mall} has no *.expected.json"


def test_every_alert_rule_has_a_runbook_heading_and_a_test() -> None:
    """Whoever is woken finds what to do, and the rule has been seen to ring."""
    from alerts.rules import RULES

    runbook = (ROOT / "docs/runbook.md").read_text(encoding="utf-8")
    tests = (ROOT / "tests/alerts/test_rules.py").read_text(encoding="utf-8")
    for rule in RULES:
        assert f"## {rule}\n" in runbook, rule
        assert f'"{rule}"' in tests, rule


def test_every_setting_has_a_reader() -> None:
    """A key that nothing reads promises what does not happen."""
    from config import Settings

    code = "\n".join(file.read_text(encoding="utf-8") for file in sources() if not short(file).startswith("config/"))
    readers = code + (ROOT / "config/pool.py").read_text(encoding="utf-8")
    readers += "".join(
        (ROOT / "config" / f"{name}.py").read_text(encoding="utf-8")
        for name in ("blocks", "paid", "proxied", "st11", "settings")
    )
    unread = []
    for block, field in Settings.model_fields.items():
        keys = getattr(field.annotation, "model_fields", {})
        unread += [f"{block}.{key}" for key in keys if not re.search(rf"\.{key}\b|\"{key}\"", readers)]
    assert [] == sorted(unread)


@pytest.mark.parametrize("module", ["web", "cli"])
def test_the_light_packages_load_no_browser_and_no_model(module: str) -> None:
    """The web process stays small."""
    heavy = ("selenium", "openai", "undetected_chromedriver")
    code = f"import {module}, sys; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "[]" == run.stdout.strip()


def test_files_stay_short() -> None:
    """At most 300 lines: a longer file is two things."""
    long = {short(f): n for f in every_python_file() if (n := len(f.read_text(encoding="utf-8").splitlines())) > 300}
    assert {} == long


def test_functions_stay_short() -> None:
    """At most 40 lines without the docstring."""
    long = {}
    for file in sources():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                lines = (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0
                if lines > 40:
                    long[f"{short(file)}:{node.name}"] = lines
    assert {} == long


def test_nothing_names_a_registry_or_this_machine() -> None:
    """Lock files and texts are the same wherever they were made."""
    words = ["py" + "pi.org", "python" + "hosted", "registry.np" + "mjs", "/wo" + "rk/", ".lib" + "rary"]
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wrong = []
    for name in filter(None, tracked.split("\0")):
        path = ROOT / name
        text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
        wrong += [f"{name}: {word}" for word in words if word in text]
    assert [] == wrong


def test_the_version_is_said_once() -> None:
    """The package's own and the project file's."""
    from config.version import VERSION

    assert f'\nversion = "{VERSION}"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
