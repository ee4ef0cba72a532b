"""Builds what the images hold without a container engine, and runs it: the Dockerfile's own steps in chroots.

    python -m tests.images.build /var/tmp/lps-images --database postgresql://…    (root, debootstrap, a network)

What differs from an engine: `python:3.12-slim-bookworm` is Debian bookworm with its own Python 3.11; no layers, no
cgroups, no port mapping; the processes see the host's network. Everything else is read from the Dockerfile.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tests.images.dockerfile import Stage, copied, stages
from tests.images.run import Shown, look

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
BASE = ("python3", "python3-venv", "python3-pip", "ca-certificates")
HOST_FILES = ("/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs/ca-certificates.crt")


@dataclass
class Built:
    """One stage as a folder."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)
    user: str = "root"
    workdir: str = "/"
    command: list[str] = field(default_factory=list)
    entrypoint: list[str] = field(default_factory=list)
    health: list[str] = field(default_factory=list)


def say(text: str) -> None:
    """A line of progress."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")


def base(folder: Path) -> None:
    """Debian bookworm with its Python, made once."""
    if (folder / "made").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    say("debootstrap bookworm")
    include = ",".join(BASE)
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={include}", "bookworm", str(folder)],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    for file in HOST_FILES:
        target = folder / file.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        shutil.copy(file, target)
    (folder / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    (folder / "made").touch()


@contextlib.contextmanager
def mounted(folder: Path) -> Iterator[None]:
    """With /proc, /dev and /dev/shm."""
    mounts = [("proc", "proc", "proc"), ("/dev", "dev", ""), ("tmpfs", "dev/shm", "tmpfs")]
    done: list[Path] = []
    try:
        for source, where, kind in mounts:
            target = folder / where
            target.mkdir(exist_ok=True)
            subprocess.run(["mount", *(["-t", kind] if kind else ["--bind"]), source, str(target)], check=True)
            done.append(target)
        yield
    finally:
        for target in reversed(done):
            subprocess.run(["umount", "-l", str(target)], check=False)


def inside(built: Built, command: list[str], **more: str) -> list[str]:
    """The command line that runs something in a stage as its user."""
    settings = [f"{key}={value}" for key, value in {"HOME": "/tmp", **built.env, **more}.items()]  # noqa: S108 - in the chroot
    shell = f"cd {shlex.quote(built.workdir)} && exec {shlex.join(command)}"
    return [
        "chroot",
        f"--userspec={built.user}",
        str(built.folder),
        "/usr/bin/env",
        "-i",
        *settings,
        "/bin/sh",
        "-c",
        shell,
    ]


def build(stage: Stage, made: dict[str, Built], where: Path, pip: dict[str, str]) -> Built:
    """Carry one stage's steps out."""
    parent = made.get(stage.parent)
    folder = where / stage.name
    if folder.exists():
        shutil.rmtree(folder)
    source = parent.folder if parent else where / "debian"
    subprocess.run(["cp", "-a", "--reflink=auto", str(source), str(folder)], check=True)
    path = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
    built = Built(folder, dict(parent.env) if parent else path)
    if parent:
        built.user, built.workdir, built.entrypoint = parent.user, parent.workdir, parent.entrypoint
    with mounted(folder):
        for word, rest in stage.steps:
            step(built, word, rest, made, pip)
    return built


def step(built: Built, word: str, rest: str, made: dict[str, Built], pip: dict[str, str]) -> None:
    """One instruction."""
    if word == "RUN":
        say(f"{built.folder.name}: {rest[:90]}")
        done = subprocess.run(
            inside(built, ["/bin/sh", "-ec", rest], DEBIAN_FRONTEND="noninteractive", **pip),
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"{rest}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    elif word == "COPY":
        copied(rest, ROOT, built.folder, {name: stage.folder for name, stage in made.items()})
    elif word == "ENV":
        key, _, value = rest.partition("=")
        built.env[key] = value
    elif word == "USER":
        built.user = rest
    elif word == "WORKDIR":
        built.workdir = rest
        (built.folder / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
    elif word in ("CMD", "ENTRYPOINT", "HEALTHCHECK"):
        words = [str(one) for one in re.findall(r'"((?:[^"\\]|\\.)*)"', rest)]
        attribute = {"CMD": "command", "ENTRYPOINT": "entrypoint", "HEALTHCHECK": "health"}[word]
        setattr(built, attribute, words)


class Container:
    """A built stage's command, running."""

    def __init__(self, built: Built, env: dict[str, str], command: list[str] | None = None) -> None:
        self.built, self.env = built, env
        self._mounts = mounted(built.folder)
        self._mounts.__enter__()
        self.log = built.folder.with_suffix(".log")
        with self.log.open("ab") as log:
            # tini is PID 1 in a container only.
            entry = [*built.entrypoint[:1], "-s", *built.entrypoint[1:]] if built.entrypoint else []
            whole = [*entry, *(command or built.command)]
            self.process = subprocess.Popen(inside(built, whole, **env), stdout=log, stderr=log, start_new_session=True)

    def run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        """Something else beside it, as `docker exec` does."""
        return subprocess.run(
            inside(self.built, command, **self.env), check=False, capture_output=True, text=True, timeout=120
        )

    def healthy(self, seconds: float) -> bool:
        """Whether its HEALTHCHECK says so within the time."""
        end, pause = time.monotonic() + seconds, threading.Event()
        while time.monotonic() < end and self.process.poll() is None:
            if self.run(self.built.health).returncode == 0:
                return True
            pause.wait(1)
        return False

    def stop(self) -> float:
        """SIGTERM as an engine sends it; gives the seconds it took, -1 when it had to be killed."""
        started = time.monotonic()
        self.process.terminate()
        try:
            self.process.wait(30)
            took = time.monotonic() - started
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            took = -1.0
        self._mounts.__exit__(None, None, None)
        return took


def main() -> int:
    """Build the three images' content, run them against the database, print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("where", type=Path)
    parser.add_argument("--database", required=True, help="a server on which a database lps_images may be made")
    options = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        raise SystemExit("needs root and debootstrap (apt-get install debootstrap)")
    options.where.mkdir(parents=True, exist_ok=True)
    base(options.where / "debian")
    pip = {key: value for key, value in os.environ.items() if key.startswith("PIP_") and "FIND_LINKS" not in key}
    made: dict[str, Built] = {}
    for stage in stages((ROOT / "Dockerfile").read_text(encoding="utf-8")):
        made[stage.name] = build(stage, made, options.where, pip)
    shown: list[Shown] = look(made, options.database)
    for one in shown:
        sys.stdout.write(f"{'ok ' if one.good else 'BAD'} {one.what}: {one.seen}\n")
    return 0 if all(one.good for one in shown) else 1


if __name__ == "__main__":
    sys.exit(main())
