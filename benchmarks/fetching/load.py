"""Load by wrk, and what it measured."""

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Load", "wrk"]

UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}
SCATTER = """
local seed = tonumber(io.open("/dev/urandom", "rb"):read(4):byte(1, 1)) * 7919 + os.time()
math.randomseed(seed)
request = function()
  local path = "/api/v1/templates/bench/many/t" .. math.random(0, {templates} - 1) .. "@" .. math.random(1, {versions})
  return wrk.format("GET", path)
end
"""
PACED = """
function delay() return math.random(0, {most}) end
"""


@dataclass(frozen=True)
class Load:
    """Requests a second, and the two ends of the wait in ms."""

    rate: float
    p50: float
    p99: float


def wrk(
    url: str, key: str, connections: int, seconds: int, scatter: tuple[int, int] | None = None, rate: int | None = None
) -> Load:
    """Ask one address, or (templates, versions) at random; any answer but 200 ends the benchmark.

    As fast as it answers, or about `rate` times a second: each connection pauses for a random time before it asks.
    """
    command = ["nice", "-n", "-10", "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
    command += ["-H", f"Authorization: Bearer {key}"]
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        if scatter:
            script.write(SCATTER.format(templates=scatter[0], versions=scatter[1]))
        if rate:
            script.write(PACED.format(most=round(2 * 1000 * connections / rate)))
        script.flush()
        command += ["-s", str(Path(script.name))] if scatter or rate else []
        text = subprocess.run([*command, url], capture_output=True, text=True, check=True).stdout
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+)", text)
    if "Non-2xx" in text or (errors and any(int(count) for count in errors.groups())):  # a slow answer is no wrong one
        sys.exit(f"{url}: {text}")
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    waits = {share: re.search(rf"{share}%\s+([\d.]+)(us|ms|s|m)", text) for share in (50, 99)}
    if rate is None or waits[50] is None or waits[99] is None:
        sys.exit(f"wrk said something unexpected: {text}")
    p50, p99 = (float(found[1]) * UNITS[found[2]] for found in (waits[50], waits[99]))
    return Load(float(rate[1]), p50, p99)
