"""What can be said of the images unbuilt: the Dockerfile, the build context, the compose file, the units."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from config.sources import NOT_SETTINGS, SECRET_FILES, VARIABLES
from tasks import broker
from tests.conftest import ROOT
from tests.images.dockerfile import context, stages

if TYPE_CHECKING:
    from pathlib import Path

TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if name != "lps-db"}


def test_the_images_are_named_as_the_guide_names_them() -> None:
    """Targets api, worker, crawler; services lps-api, lps-worker, lps-crawler, lps-scheduler, and lps-db on request."""
    assert {"api", "worker", "crawler"} <= {stage.name for stage in stages(TEXT)}
    assert {"lps-api", "lps-worker", "lps-crawler", "lps-scheduler", "lps-db", "lps-migrate"} == set(SERVICES)
    assert ["db"] == SERVICES["lps-db"]["profiles"]
    assert SERVICES["lps-crawler"]["volumes"] == ["lps-profiles:/profiles", "lps-evidence:/evidence"]
    assert all("lps-evidence:/evidence" in service["volumes"] for service in OURS.values())


def test_every_queue_is_served_by_exactly_one_of_the_images() -> None:
    """A queue without a container would never be read."""
    queues: list[str] = []
    for stage in stages(TEXT):
        for word, rest in stage.steps:
            words = re.findall(r'"([^"]*)"', rest)
            if word == "CMD" and "--queues" in words:
                queues += words[words.index("--queues") + 1 :]
    assert sorted(broker.queues) == sorted(queues)


def test_the_build_context_holds_what_runs_and_nothing_else() -> None:
    """Every module of the program; no secret, test or environment."""
    files = {path.as_posix() for path in context(ROOT)}
    for package in ("ai", "alerts", "cli", "config", "crawl", "embedded", "sandbox", "store", "tasks", "web"):
        tracked = {path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*.py")}
        assert tracked <= files, package
    assert {"config.toml", "model.py", "errors.py", "periodic.py", "requirements.lock"} <= files
    foreign = [file for file in files if file.startswith(("tests", "bench", "docs", ".")) or "local.toml" in file]
    assert [] == foreign


def test_containers_are_not_roots_and_stop_in_order() -> None:
    """The last USER of each target; tini reaps; the grace period covers the worker's."""
    by_name = {stage.name: stage for stage in stages(TEXT)}
    for name in ("base", "crawler"):
        assert "lps" == [rest for word, rest in by_name[name].steps if word == "USER"][-1]
    assert 'ENTRYPOINT ["tini", "--"]' in TEXT
    assert all(service["init"] and service["stop_grace_period"] == "30s" for service in OURS.values())
    assert not [name for name, service in SERVICES.items() if "container_name" in service]


def test_no_secret_stands_in_a_file_that_is_committed() -> None:
    """Every secret of the compose file comes from the environment; the example leaves them empty."""
    for service in OURS.values():
        for key, value in service.get("environment", {}).items():
            if re.search("PASSWORD|KEY|USER|WEBHOOK", key):
                assert re.fullmatch(r"\$\{\w+:[-?].*\}", str(value)), key
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    assert not re.search(r"^\w*(PASSWORD|KEY|KEYS|WEBHOOK)=.+", example, re.MULTILINE)
    assert ".env\n" in (ROOT / ".gitignore").read_text(encoding="utf-8")


def test_every_variable_is_a_setting() -> None:
    """A mistyped one would stop the container at its start, or worse, do nothing."""
    known = {*VARIABLES, *SECRET_FILES, *NOT_SETTINGS}
    for service in OURS.values():
        assert [] == [key for key in service.get("environment", {}) if key not in known]
    ours = set(re.findall(r"^ENV (LPS_\w+)=", TEXT, re.MULTILINE))
    assert ours <= known


def test_health_is_asked_of_what_can_answer() -> None:
    """The web by its page, workers by their heartbeat; what has neither says so."""
    assert '["python", "-m", "cli.healthy", "web"]' in TEXT
    assert 2 == TEXT.count('["python", "-m", "cli.healthy", "worker"]')
    for name in ("lps-scheduler", "lps-migrate"):
        assert SERVICES[name]["healthcheck"] == {"disable": True}
    assert "pg_isready" in str(SERVICES["lps-db"]["healthcheck"]["test"])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_the_systemd_units_are_understood(tmp_path: Path) -> None:
    """As systemd reads them; the programs they name are elsewhere."""
    for unit in (ROOT / "deploy/systemd").glob("*.service"):
        text = unit.read_text(encoding="utf-8").replace("/opt/lps/.venv/bin/", "/usr/bin/env ")
        name = unit.name.replace("@.", "@1.")
        target = tmp_path / name
        target.write_text(re.sub(r"(?m)^(User|WorkingDirectory|EnvironmentFile|ReadWritePaths)=.*\n", "", text))
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", str(target)], capture_output=True, text=True, check=False
        )
        wrong = [line for line in done.stderr.splitlines() if name in line]
        assert [] == wrong, unit.name
