"""Builds the image without Docker and without a registry of images, runs it, and lets people's journeys use it.

Run as root on Debian, by `make image-check`. It needs the packages buildah and debootstrap, and takes about a quarter
of an hour. Two small Debian systems replace the base images `python` and `node`, which a machine that reaches only
registries of packages can't get. Web server and worker are started from the image, each as its own container, on a
PostgreSQL and a Valkey from wheels. Chroot isolation gives them no network of their own, so they bind to loopback.
"""

import argparse
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import httpx

from tests.support.broker import Broker
from tests.support.child_process import start_child
from tests.support.postgres_server import run_server
from tests.support.server_process import wait_for_demo

ROOT = Path(__file__).resolve().parent.parent
IMAGE = "localhost/promptuary:check"
# Base image to Debian's release and the packages that make it one. The release of `node` has Node.js 20.
BASES = {
    "python": ("bookworm", ["ca-certificates", "python3", "python3-pip"]),
    "node": ("trixie", ["ca-certificates", "nodejs", "npm"]),
}
USER_ID = 10001  # of the Dockerfile's user
SOCKET, SOCKET_FOLDER = ".s.PGSQL.5432", "/run/postgresql"  # of the database, in the containers
JOURNEYS = ["test_story.py", "test_first_save.py", "test_proposal_to_roll_back.py", "test_draft_to_approval.py"]
START_SECONDS = 300
# How this machine reaches its registries of packages; the build of the image needs the same.
CLIENT_FILES = ["/etc/pip.conf", "/etc/npmrc", "/etc/ssl/certs"]
CLIENT_VARIABLES = ["PIP_CERT", "PIP_INDEX_URL", "NODE_EXTRA_CA_CERTS", "NPM_CONFIG_REGISTRY", "SSL_CERT_FILE"]


class Buildah:
    """The program `buildah` with its storage in a separate folder."""

    def __init__(self, folder: Path) -> None:
        self._start = ["buildah", "--root", str(folder / "storage"), "--runroot", str(folder / "run")]

    def command(self, *arguments: str) -> list[str]:
        """The whole command line."""
        return [*self._start, *arguments]

    def run(self, *arguments: str) -> str:
        """What it prints on standard output. Raises CalledProcessError if it fails."""
        done = subprocess.run(self.command(*arguments), check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        return done.stdout.strip()

    def has_image(self, name: str) -> bool:
        """Whether there is an image of that name."""
        process = subprocess.run(self.command("inspect", "--type", "image", name), check=False, capture_output=True)
        return process.returncode == 0


def main() -> int:
    """Build and run the image, let the journeys use it, and return their exit code."""
    options = read_options()
    refuse_unfit_machine()
    options.folder.mkdir(parents=True, exist_ok=True)
    buildah = Buildah(options.folder.resolve())
    for base in BASES:
        make_base(buildah, base)
    build_image(buildah)
    with run_image(buildah) as (url, home):
        return run_journeys(url, home, options.journeys or JOURNEYS)


def read_options() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("journeys", nargs="*", help="files of tests/browser; by default the main ones")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "image", help="keeps images for the next time")
    return parser.parse_args()


def refuse_unfit_machine() -> None:
    """Raises SystemExit if this machine can't build an image."""
    missing = [name for name in ("buildah", "debootstrap") if shutil.which(name) is None]
    if missing:
        raise SystemExit(f"Install {' and '.join(missing)} first: apt-get install buildah debootstrap")
    if os.geteuid() != 0:
        raise SystemExit("Run this as root: debootstrap and chroot need it.")


def make_base(buildah: Buildah, base: str) -> None:
    """Make an image that replaces a base image, unless there is one from an earlier run."""
    if buildah.has_image(name_base(base)):
        return
    say(f"Making a Debian system with {base} ...")
    release, packages = BASES[base]
    container = buildah.run("from", "scratch")
    system = Path(buildah.run("mount", container))
    debootstrap = ["debootstrap", "--variant=minbase", "--merged-usr", release, str(system)]
    subprocess.run(debootstrap, check=True, stdout=subprocess.DEVNULL)
    install = f"apt-get update -qq && apt-get install -y -qq --no-install-recommends {' '.join(packages)}"
    subprocess.run(["chroot", str(system), "sh", "-c", install], check=True, stdout=subprocess.DEVNULL)
    for marker in system.glob("usr/lib/python3*/EXTERNALLY-MANAGED"):
        marker.unlink()  # in an image, pip may install for the whole system
    if base == "python":  # beside the programs that pip installs, as in the image that it replaces
        (system / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    buildah.run("umount", container)
    buildah.run("commit", "--quiet", container, name_base(base))
    buildah.run("rm", container)


def name_base(base: str) -> str:
    """The name of the image that replaces a base image."""
    return f"localhost/promptuary-base-{base}"


def build_image(buildah: Buildah) -> None:
    """Build the Dockerfile as it is, on the two images made here."""
    say("Building the Dockerfile ...")
    bases = [f"--build-arg={base.upper()}_IMAGE={name_base(base)}" for base in BASES]
    files = [f"--volume={path}:{path}:ro" for path in CLIENT_FILES if Path(path).exists()]
    variables = [f"--env={name}={os.environ[name]}" for name in CLIENT_VARIABLES if name in os.environ]
    buildah.run(
        "build", "--isolation=chroot", "--layers", "--pull-never", *bases, *files, *variables, "--tag", IMAGE, "."
    )
    # Buildah keeps the variables in the image. They are this machine's, so the image is for this check only.


@contextlib.contextmanager
def run_image(buildah: Buildah) -> Iterator[tuple[str, Path]]:
    """Migrate, then run the image's web server and worker; yields the address and the data folder."""
    with (
        tempfile.TemporaryDirectory(prefix="promptuary-image-") as folder,
        run_server() as database_url,
        Broker(Path(folder)) as broker,
        contextlib.ExitStack() as stack,
    ):
        home = Path(folder) / "data"
        home.mkdir(mode=0o700)
        os.chown(home, USER_ID, USER_ID)
        Path(folder).chmod(0o755)
        port = choose_port()
        settings = {
            "PORT": str(port),
            "PROMPTUARY_HOST": "127.0.0.1",
            "PROMPTUARY_BASE_URL": f"http://127.0.0.1:{port}",
            "PROMPTUARY_DATABASE_URL": f"postgresql://postgres@{quote(SOCKET_FOLDER, safe='')}/postgres",
            "PROMPTUARY_BROKER_URL": broker.url,
        }
        database_folder = unquote(urlsplit(database_url).netloc.rpartition("@")[2])
        # Other users can't read the folder, but can use its socket.
        socket_volume = f"{database_folder}/{SOCKET}:{SOCKET_FOLDER}/{SOCKET}"
        options = [f"--volume={home}:/data", f"--volume={socket_volume}"]
        options += [f"--env={name}={value}" for name, value in settings.items()]
        say("Migrating with the image ...")
        with start_container(buildah, ["--only", "migrate"], options) as migration:
            if migration.wait(timeout=START_SECONDS) != 0:
                raise SystemExit(f"The migration of the image failed with {migration.returncode}.")
        say("Starting web server and worker ...")
        web = stack.enter_context(start_container(buildah, ["--demo", "--only", "web"], options))
        stack.enter_context(start_container(buildah, ["--only", "worker"], options))
        wait_for_page(f"http://127.0.0.1:{port}/readyz", web)
        wait_for_demo(home, START_SECONDS)
        yield f"http://127.0.0.1:{port}", home


@contextlib.contextmanager
def start_container(
    buildah: Buildah, arguments: Sequence[str], options: Sequence[str]
) -> Iterator["subprocess.Popen[bytes]"]:
    """A container of the image as the user of its Dockerfile; it is ended and removed at the end."""
    container = buildah.run("from", "--pull-never", IMAGE)
    run = ["run", "--isolation=chroot", *options, container, "--", "python", "manage.py", "serve", *arguments]
    command = buildah.command(*run)
    process = start_child(command, cwd=ROOT, start_new_session=True)
    try:
        yield process
    finally:
        end_group(process)
        buildah.run("rm", container)


def end_group(process: "subprocess.Popen[bytes]") -> None:
    """Ask the processes of a container to end, then make them."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=30)
            return


def wait_for_page(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Raises SystemExit if it does not answer 200."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SystemExit(f"The web server of the image ended with {process.returncode}.")
        with contextlib.suppress(httpx.TransportError):  # not up yet
            if httpx.get(url, timeout=5).status_code == 200:
                return
        time.sleep(0.5)  # bounded polling: another process gives no signal
    raise SystemExit(f"{url} did not answer within {START_SECONDS} s.")


def run_journeys(url: str, home: Path, journeys: Sequence[str]) -> int:
    """The browser's tests against the image; pytest's exit code."""
    say(f"Running {', '.join(journeys)} against it ...")
    files = [f"tests/browser/{name}" for name in journeys]
    environment = {**os.environ, "TEST_SERVER_URL": url, "TEST_SERVER_HOME": str(home)}
    # Git reads a repository of another user only if it is named.
    environment |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory"}
    environment["GIT_CONFIG_VALUE_0"] = str(home / "mirror.git")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "browser", *files]
    return subprocess.run(command, check=False, cwd=ROOT, env=environment).returncode


def choose_port() -> int:
    """A port of loopback that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def say(sentence: str) -> None:
    """Tell what happens, with the time."""
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {sentence}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
