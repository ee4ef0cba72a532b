"""Hosts as network namespaces on one bridge: each with an address, a name and a plug that can be pulled."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter

BRIDGE, NET = "lpsbr0", "10.77.0"
HERE = f"{NET}.1"
"""Where this machine's own services are reached from the hosts."""


def ip(*words: str) -> None:
    """One `ip` command."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


@dataclass
class Host:
    """One namespace."""

    name: str
    number: int
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Its own."""
        return f"{NET}.{self.number}"

    def start(self, command: list[str], env: dict[str, str], folder: Path) -> None:
        """Run something there, under the host's own name."""
        inside = ["ip", "netns", "exec", f"lps-{self.name}", "unshare", "--uts", "sh", "-c",
                  'hostname "$0" && exec "$@"', self.name, *command]  # fmt: skip
        with (folder / f"{self.name}.log").open("ab") as log:
            self.processes.append(
                subprocess.Popen(
                    inside, env=env, stdout=log, stderr=log, cwd=Path(__file__).parents[2], start_new_session=True
                )
            )

    def pull(self) -> None:
        """Cut it off: nothing arrives, nothing leaves, no connection is told."""
        ip("link", "set", f"lps{self.number}", "down")

    def plug(self) -> None:
        """Bring it back."""
        ip("link", "set", f"lps{self.number}", "up")

    def stop(self) -> None:
        """End what runs there, in order, then by force."""
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


class Network:
    """The bridge, its hosts, and ways from them to services on this machine's loopback."""

    def __init__(self, names: list[str]) -> None:
        self.hosts = {name: Host(name, n) for n, name in enumerate(names, start=11)}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._servers: list[asyncio.Server] = []

    def __enter__(self) -> Self:
        self._remove()
        ip("link", "add", BRIDGE, "type", "bridge")
        ip("addr", "add", f"{HERE}/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for host in self.hosts.values():
            space, outside = f"lps-{host.name}", f"lps{host.number}"
            ip("netns", "add", space)
            ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", space)
            ip("link", "set", outside, "master", BRIDGE, "up")
            ip("-n", space, "link", "set", "lo", "up")
            ip("-n", space, "addr", "add", f"{host.address}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for host in self.hosts.values():
            host.stop()
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._remove()

    def _remove(self) -> None:
        for host in self.hosts.values():
            subprocess.run(["ip", "netns", "del", f"lps-{host.name}"], check=False, capture_output=True)
            subprocess.run(["ip", "link", "del", f"lps{host.number}"], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", BRIDGE], check=False, capture_output=True)

    def offer(self, port: int) -> str:
        """Let the hosts reach this loopback port; gives host:port as they see it."""
        self._servers.append(asyncio.run_coroutine_threadsafe(self._listen(port), self._loop).result(5))
        return f"{HERE}:{port}"

    async def _end(self) -> None:
        for server in self._servers:
            server.close()
        open_ = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in open_:
            task.cancel()
        await asyncio.gather(*open_, return_exceptions=True)

    async def _listen(self, port: int) -> asyncio.Server:
        async def serve(reader: StreamReader, writer: StreamWriter) -> None:
            # Cancelled as the network ends.
            with contextlib.suppress(OSError, asyncio.CancelledError):
                inner = await asyncio.open_connection("127.0.0.1", port)
                await asyncio.gather(_pump(reader, inner[1]), _pump(inner[0], writer))
            writer.close()

        return await asyncio.start_server(serve, HERE, port)


async def _pump(reader: StreamReader, writer: StreamWriter) -> None:
    with contextlib.suppress(OSError, asyncio.IncompleteReadError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
        writer.close()


def environment(**more: Any) -> dict[str, str]:
    """What every host's processes are started with."""
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"} | {key: str(value) for key, value in more.items()}
