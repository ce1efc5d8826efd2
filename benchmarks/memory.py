"""The memory of an idle server: `python benchmarks/memory.py`, two minutes; needs requirements-dev.txt.

Starts `manage.py serve --demo` in a new home, waits, and prints the proportional set size (PSS) of each process. PSS
divides shared pages among the processes that share them, so the sum is what the machine provides. If
PROMPTUARY_DATABASE_URL is set, the server uses that database, whose processes aren't counted. The exit code is 1 if the
gate was missed.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from baseline import record_ratio
from fetching import servers

ROOT = Path(__file__).resolve().parent.parent
GATE = {"sqlite": 350.0, "postgresql": 600.0}  # megabytes
SETTLED = 20.0  # seconds after the first answer
START = 600.0


def main() -> None:
    """Start, wait and print; exit with 1 if the gate was missed."""
    database = "postgresql" if os.environ.get("PROMPTUARY_DATABASE_URL", "").startswith("postgres") else "sqlite"
    with tempfile.TemporaryDirectory(prefix="promptuary-bench-") as home:
        port = servers.find_free_port()
        log = Path(home).with_suffix(".log")
        with log.open("w") as file:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--demo"],
                cwd=ROOT,
                env={**os.environ, "PROMPTUARY_HOME": home, "PORT": str(port)},
                stdout=file,
                stderr=file,
            )
        try:
            wait_for_text(process, log, "Ctrl-C stops everything")
            wait_for_text(process, log, "The starter library is loaded.")
            time.sleep(SETTLED)  # until the one-time work after the start is done
            total = print_table(process.pid)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
            log.unlink()
    is_met = total <= GATE[database]
    print(f"{'ok    ' if is_met else 'MISSED'} {total:.0f} MB on {database}, at most {GATE[database]:.0f} MB")
    record_ratio(f"{GATE[database]:g} MB / an idle server on {database}", GATE[database] / total)
    sys.exit(0 if is_met else 1)


def wait_for_text(process: "subprocess.Popen[bytes]", log: Path, text: str) -> None:
    """Wait until the server prints the text."""
    deadline = time.monotonic() + START
    while text not in log.read_text():
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit(log.read_text())
        time.sleep(0.2)  # bounded polling: the growth of a file isn't signalled


def print_table(root: int) -> float:
    """Print each process of the tree with its memory; return the sum of the PSS in megabytes."""
    total = 0.0
    print(f"  {'PSS':>7}  {'RSS':>7}  MB")
    for number in process_tree(root):
        try:
            lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()[1:]
            command = Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue  # it has ended meanwhile
        sizes = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}
        total += sizes["Pss"]
        print(f"  {sizes['Pss']:7.1f}  {sizes['Rss']:7.1f}  {command[:90]}")
    return total


def process_tree(root: int) -> list[int]:
    """The process and all of its descendants."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended meanwhile
    tree = [root]
    for number in tree:  # it grows while it is iterated
        tree += [child for child, parent in parents.items() if parent == number]
    return tree


if __name__ == "__main__":
    main()
