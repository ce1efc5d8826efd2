"""Prompts from a Langfuse server, through its public API: read-only, one request per prompt."""

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from promptuary._config import ClientConfig
from promptuary._http_transport import HttpTransport
from promptuary._transport import Request
from promptuary.commands.output import Finding, UsageError
from promptuary.errors import BadAnswer
from promptuary.renderer.interop import langfuse
from promptuary.renderer.interop.imported import ImportedTemplate, LossError

__all__ = ["read_server"]

PAGE = 50
MAX_PAGES = 1000
TIMEOUT = 30.0  # seconds per request


def read_server(
    url: str, public_key: str, secret_key: str, names: Sequence[str], label: str
) -> list[tuple[str, ImportedTemplate]]:
    """Return these prompts, or all, with their addresses: at the label, or the newest version.

    Raises Finding with all refusals, UsageError without both keys or if the server refuses them.
    """
    if not (public_key and secret_key):
        raise UsageError("the keys of the Langfuse server are missing: LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY")
    address = ClientConfig.read(url, secret_key)
    token = base64.b64encode(f"{public_key}:{secret_key}".encode()).decode()
    transport = HttpTransport(address.url, {"User-Agent": "promptuary-cli", "Authorization": f"Basic {token}"})
    try:
        prompts, refusals = [], []
        for name in names or _list_names(transport, label):
            try:
                imports = langfuse.read_langfuse_prompts(_fetch_prompt(transport, name, label), name)
                prompts += [(f"{address.url} {name}", imported) for imported in imports]
            except LossError as error:
                refusals.append(f"{name}: {error}")
        if refusals:
            raise Finding("nothing is imported. " + "\n".join(refusals))
        return prompts
    finally:
        transport.close()


def _list_names(transport: HttpTransport, label: str) -> Iterator[str]:
    for number in range(1, MAX_PAGES + 1):
        query = {"page": number, "limit": PAGE, **({"label": label} if label else {})}
        page = _fetch_json(transport, f"/api/public/v2/prompts?{urlencode(query)}", "the list of prompts")
        try:
            yield from (str(row["name"]) for row in page["data"])
            if number >= int(page["meta"]["totalPages"]):
                return
        except (KeyError, TypeError, ValueError):
            raise BadAnswer("the list of prompts is of another form; is this a Langfuse server?") from None


def _fetch_prompt(transport: HttpTransport, name: str, label: str) -> Any:
    # There, `latest` is the newest version. References to other prompts stay unresolved, so that they are noticed.
    query = urlencode({"label": label or "latest", "resolve": "false"})
    return _fetch_json(transport, f"/api/public/v2/prompts/{quote(name, safe='')}?{query}", name)


def _fetch_json(transport: HttpTransport, path: str, subject: str) -> Any:
    answer = transport.send(Request("GET", path, TIMEOUT, {"Accept": "application/json"}))
    try:
        body = json.loads(answer.body)
    except (ValueError, RecursionError):
        raise BadAnswer(f"{subject}: the answer ({answer.status}) isn't JSON; is this a Langfuse server?") from None
    if answer.status == 200:
        return body
    message = body.get("message") if isinstance(body, dict) else body
    reason = str(message or "the server gave no reason")
    if answer.status in (401, 403):
        raise UsageError(f"{subject}: {reason}")
    if answer.status in (404, 422):
        raise LossError(reason)
    raise BadAnswer(f"{subject}: {answer.status} {reason}")
