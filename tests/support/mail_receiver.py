"""A mail server on loopback that accepts and keeps every message."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage

__all__ = ["Mailbox", "receive_mail"]


class Mailbox(socketserver.ThreadingTCPServer):
    """`messages` are the received ones, in order."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.messages: list[EmailMessage] = []

    @property
    def url(self) -> str:
        """The server's address for PROMPTUARY_EMAIL_URL."""
        return f"smtp://127.0.0.1:{self.server_address[1]}"

    def find_messages(self, to: str, words: str) -> list[EmailMessage]:
        """The messages to an address with these words in the subject or plain text."""
        texts = ((it, f"{it['Subject']}\n{_read_plain_text(it)}") for it in self.messages if to in str(it["To"]))
        return [it for it, text in texts if words in text]


def _read_plain_text(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    return str(body.get_content()) if body is not None else ""


class _Session(socketserver.StreamRequestHandler):
    """One connection: as much of SMTP as a client without extensions needs."""

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline():
            verb = line[:4].upper()
            if verb == b"QUIT":
                self._say("221 bye")
                return
            if verb == b"DATA":
                self._say("354 go on")
                self._keep_message()
            self._say("250 ok")

    def _keep_message(self) -> None:
        lines = []
        while (line := self.rfile.readline()) not in (b".\r\n", b""):
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        message = message_from_bytes(b"".join(lines), policy=policy.default)
        assert isinstance(message, EmailMessage)
        assert isinstance(self.server, Mailbox)
        self.server.messages.append(message)

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode("ascii"))


@contextmanager
def receive_mail() -> Iterator[Mailbox]:
    """Run a mail server until the block ends."""
    with Mailbox() as mailbox:
        thread = threading.Thread(target=mailbox.serve_forever)
        thread.start()
        try:
            yield mailbox
        finally:
            mailbox.shutdown()
            thread.join()
