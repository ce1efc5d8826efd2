"""The relay of replies in a web process: unchanged bytes, reports of closed pages, no error without a worker."""

import asyncio
import json
import os

import pytest

from registry.live.reply_relay import SOCKET, relay_reply


class Page:
    """RSGI's side of a request: records what was sent, and closes on demand."""

    def __init__(self):
        self.status, self.sent, self.closed = None, b"", asyncio.Event()

    def response_stream(self, status, _headers):
        self.status = status
        return self

    async def send_bytes(self, data):
        self.sent += data

    async def client_disconnect(self):
        await self.closed.wait()


@pytest.fixture
def path(tmp_path, monkeypatch):
    path = os.path.relpath(tmp_path / "r.sock")  # the path of a socket must be short
    monkeypatch.setenv(SOCKET, path)
    return path


def relay(path, answer):
    """What the page has after a worker answered so, and whether the relay found one."""

    async def run():
        server, page = await asyncio.start_unix_server(answer, path), Page()
        async with server:
            found = await asyncio.wait_for(relay_reply(page, 7, 11, "de"), 10)
        return found, page

    return asyncio.run(run())


def test_the_workers_stream_is_relayed_unchanged(path):
    asked = []

    async def answer(reader, writer):
        asked.append(json.loads(await reader.readline()))
        for piece in (b"event: text\n", b'data: {"text":"a"}\n\n'):
            writer.write(piece)
            await writer.drain()
        writer.close()

    found, page = relay(path, answer)
    assert (found, page.status, page.sent) == (True, 200, b'event: text\ndata: {"text":"a"}\n\n')
    assert asked == [{"person": 7, "column": 11, "language": "de"}]


def test_a_closed_page_closes_the_workers_connection(path):
    ended = []

    async def run():
        page = Page()

        async def answer(reader, writer):
            await reader.readline()
            page.closed.set()
            ended.append(await reader.read())
            writer.close()

        async with await asyncio.start_unix_server(answer, path):
            await asyncio.wait_for(relay_reply(page, 7, 11, "de"), 10)
            async with asyncio.timeout(10):
                while not ended:
                    await asyncio.sleep(0.01)

    asyncio.run(run())
    assert ended == [b""]


def test_without_a_worker_nothing_is_sent(path, monkeypatch):
    page = Page()
    assert not asyncio.run(relay_reply(page, 7, 11, "de"))
    monkeypatch.delenv(SOCKET)
    assert not asyncio.run(relay_reply(page, 7, 11, "de"))
    assert page.status is None
