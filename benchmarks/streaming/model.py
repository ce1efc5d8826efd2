"""A model server that writes 20 tokens a second and uses little processor time: `python -m streaming.model PORT`.

It answers each POST with the same streamed reply of 600 tokens in the format of OpenAI's chat completions. Each token
is written separately, as models send them. The bytes are built once, and replies start at different times, so that
their tokens don't arrive together.
"""

import asyncio
import json
import sys

__all__ = ["TOKENS", "TOKENS_A_SECOND"]

TOKENS, TOKENS_A_SECOND = 600, 20
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
_FACTS = {"id": "bench", "object": "chat.completion.chunk", "created": 0, "model": "bench"}


def _write_event(choices: list[object], **more: object) -> bytes:
    return f"data: {json.dumps({**_FACTS, 'choices': choices, **more})}\n\n".encode()


_TOKEN = _write_event([{"index": 0, "delta": {"content": " token"}, "finish_reason": None}])
_LAST = _write_event([{"index": 0, "delta": {}, "finish_reason": "stop"}])
_END = _LAST + _write_event([], usage={"prompt_tokens": 20, "completion_tokens": TOKENS}) + b"data: [DONE]\n\n"


class _Reply(asyncio.Protocol):
    """One connection: reads a request and writes the reply."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._request, self._sent = transport, b"", 0

    def data_received(self, data: bytes) -> None:
        self._request += data
        head, blank, body = self._request.partition(b"\r\n\r\n")
        lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        if blank and not self._sent and len(body) >= int(lengths[0]):
            self._transport.write(_HEAD)
            self._sent = 1
            self._due = asyncio.get_running_loop().time()
            self._send_token()

    def _send_token(self) -> None:
        if self._transport.is_closing():
            return
        if self._sent > TOKENS:
            self._transport.write(_END)
            self._transport.close()
            return
        self._transport.write(_TOKEN)
        self._sent += 1
        self._due += 1 / TOKENS_A_SECOND
        asyncio.get_running_loop().call_at(self._due, self._send_token)


async def main(port: int) -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(_Reply, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
