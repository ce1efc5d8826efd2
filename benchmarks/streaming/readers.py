"""Reads streams of replies and measures when their events arrive: `python -m streaming.readers PORT SESSION COLUMN
...`.

Prints a line once each stream has received text. At the end of standard input it closes them and prints JSON: events
with text a second, the p50 and p99 of the pauses between two events of a stream in ms, and the count of silent streams.
"""

import asyncio
import itertools
import json
import statistics
import sys
import time

__all__ = ["read_streams"]


class _Reader(asyncio.Protocol):
    """One stream."""

    def __init__(self, port: int, session: str, column: int) -> None:
        lines = (f"GET /live/playground/{column} HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Cookie: {session}")
        self._request = "\r\n".join([*lines, "", ""]).encode()
        self.first, self.times = asyncio.Event(), list[float]()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(self._request)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if b"event: text" in data:
            self.times.append(time.monotonic())
            self.first.set()


async def read_streams(port: int, session: str, columns: list[int]) -> None:
    """Open the streams, wait for the end of standard input, and print the measurements."""
    loop = asyncio.get_running_loop()
    readers = [_Reader(port, session, column) for column in columns]
    for reader in readers:
        await loop.create_connection(lambda reader=reader: reader, "127.0.0.1", port)
    await asyncio.wait_for(asyncio.gather(*(reader.first.wait() for reader in readers)), 60)
    print("open", flush=True)
    began = time.monotonic()
    await loop.run_in_executor(None, sys.stdin.read)
    seconds = time.monotonic() - began
    times = [[moment for moment in reader.times if moment >= began] for reader in readers]
    pauses = [1000 * (after - before) for row in times for before, after in itertools.pairwise(row)]
    for reader in readers:
        reader.transport.close()
    shares = statistics.quantiles(pauses, n=100) if len(pauses) > 1 else [0.0] * 99
    facts = {"events_a_second": sum(map(len, times)) / seconds, "pause_p50": shares[49], "pause_p99": shares[98]}
    print(json.dumps({**facts, "silent": sum(not row for row in times)}), flush=True)


if __name__ == "__main__":
    asyncio.run(read_streams(int(sys.argv[1]), sys.argv[2], [int(text) for text in sys.argv[3:]]))
