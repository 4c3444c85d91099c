"""A real sshd on 127.0.0.1 with keys of its own, and logins to it in a pseudo-terminal."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pty_driver import Terminal, terminal

SSHD = shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
SSH = shutil.which("ssh")
TMUX = shutil.which("tmux")


class Server:
    """A running sshd that lets this very user in."""

    def __init__(self, folder: Path) -> None:
        assert SSHD is not None
        self.folder = folder
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
        (folder / "allowed").write_text((folder / "user.pub").read_text())
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        config = folder / "sshd_config"
        config.write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile {folder}/pid\n"
            f"AuthorizedKeysFile {folder}/allowed\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
            "PermitRootLogin prohibit-password\nSetEnv LANG=C.UTF-8\nPrintMotd no\n"
        )
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self._log = (folder / "log").open("wb")
        self._process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(config)], stderr=self._log)
        until = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert self._process.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < until, "sshd does not answer"
                time.sleep(0.05)

    def stop(self) -> None:
        """End the server; the logins go on without it, as they do in life."""
        self._process.terminate()
        self._process.wait()
        self._log.close()

    @contextmanager
    def login(
        self, command: Sequence[str], size: tuple[int, int] = (120, 36), term: str = "xterm-256color"
    ) -> Iterator[Terminal]:
        """Run a command over there, in a pseudo-terminal over here."""
        assert SSH is not None
        options = ["StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR", "IdentitiesOnly=yes"]
        argv = [SSH, "-tt", "-F", "none", "-p", str(self.port), "-i", str(self.folder / "user")]
        for option in options:
            argv += ["-o", option]
        argv += [f"{getpass.getuser()}@127.0.0.1", " ".join(command)]
        with terminal(argv, size, {"TERM": term}) as found:
            yield found


@contextmanager
def server(folder: Path) -> Iterator[Server]:
    """A server for a while."""
    found = Server(folder)
    try:
        yield found
    finally:
        found.stop()
