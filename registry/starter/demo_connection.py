"""The demo model in the operator's list of models, if the demo wrote that list; and the caps of the demo's spending.

Each start writes its address again, because its port is a free one next to the server's.
"""

import json
import re
import socket
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

from registry.accounts.actor import Actor
from registry.connections import services as connection_services
from registry.connections.models import SpendingCap

__all__ = [
    "DEMO_MODEL",
    "RECORDED_MODEL",
    "cap_demo_spending",
    "choose_demo_port",
    "list_recorded_model",
    "write_demo_model",
]

RECORDED_MODEL = "recorded-answers"
DEMO_MODEL = "Demo model, local"
_LINE = re.compile(rf'^"{re.escape(DEMO_MODEL)}": .*\n?', re.MULTILINE)
_PRICE = {"prompt": 0.15, "completion": 0.6}  # made up, so that the demo shows what replies would cost
_MAX_PORTS = 50
_DAY_OF_A_PERSON = "5"


def choose_demo_port() -> int | None:
    """A free port of loopback after the server's own; None if there is none among fifty."""
    for port in range(settings.PORT + 1, min(settings.PORT + _MAX_PORTS, 65_535)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    return None


def write_demo_model(port: int) -> bool:
    """List the demo model at this port; False if the list is the operator's own, which stays as it is."""
    path = Path(settings.MODELS_PATH)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if text.strip() and not text.startswith(f"{RECORDED_MODEL}: ") and not _LINE.search(text):
        return False
    entry = {"base_url": f"http://127.0.0.1:{port}/v1", "model": "demo-local", "price": _PRICE}
    line = f"{json.dumps(DEMO_MODEL)}: {json.dumps(entry)}\n"
    remainder = _LINE.sub("", text)
    path.write_text(
        f"{remainder}{'' if remainder.endswith(chr(10)) or not remainder else chr(10)}{line}", encoding="utf-8"
    )
    return True


def list_recorded_model(replies: Iterable[str]) -> None:
    """List a model that repeats recorded replies, lines of JSON, if the operator lists no model of their own."""
    path = Path(settings.MODELS_PATH)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if _LINE.sub("", text).strip():
        return
    path.with_name("recorded-answers.jsonl").write_text("".join(replies), encoding="utf-8")
    path.write_text(f"{RECORDED_MODEL}: {{replies: recorded-answers.jsonl}}\n{text}", encoding="utf-8")


def cap_demo_spending(admin: Actor) -> None:
    """Give the demo's namespaces a cap, so that the pages show one; caps that were set stay."""
    for namespace in ("demo", "support"):
        if not SpendingCap.objects.filter(namespace__name=namespace).exists():
            connection_services.set_caps(
                actor=admin, namespace=namespace, person_day=_DAY_OF_A_PERSON, namespace_month=None
            )
