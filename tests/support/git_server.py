"""A Git server over HTTP for tests: git's own `http-backend` behind a thread, with basic authentication."""

import base64
import contextlib
import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

LOGIN = ("mirror", "s3cret token")


class _Backend(BaseHTTPRequestHandler):
    root: Path
    elsewhere = ""

    def log_message(self, *_arguments: object) -> None:
        """Log nothing: the tests look at the stored objects."""

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        if self.elsewhere:
            self.send_response(302)
            self.send_header("Location", self.elsewhere + self.path)
            self.end_headers()
            return
        expected = "Basic " + base64.b64encode(":".join(LOGIN).encode()).decode()
        if self.headers.get("Authorization") != expected:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        done = subprocess.run(
            ["git", "http-backend"],
            input=body,
            capture_output=True,
            check=True,
            env={
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(self.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "REMOTE_USER": LOGIN[0],
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            },
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((value.split()[0] for name, value in headers if name == "Status"), "200")
        self.send_response(int(status))
        for name, value in headers:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextlib.contextmanager
def serve_repositories(root: Path, elsewhere: str = "") -> Iterator[int]:
    """Serve the bare repositories below `root`; yields the port.
    `elsewhere` redirects every request to another address."""
    handler = type("Backend", (_Backend,), {"root": root, "elsewhere": elsewhere})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def make_repository(path: Path) -> Path:
    """Make a bare repository that accepts pushes over HTTP."""
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", str(path)], check=True)
    subprocess.run(["git", "config", "http.receivepack", "true"], cwd=path, check=True)
    return path
