"""Claiming an idempotency key, and storing the answer under it.

The claim is a row, inserted first in the transaction of the request. A second request with the same key waits for that
transaction at the unique constraint, and then finds either the answer or, if the first failed, nothing.
"""

import base64
import hashlib
import json
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext

from registry.core import encryption
from registry.core.errors import Invalid
from registry.idempotency.models import StoredAnswer

__all__ = [
    "HEADER",
    "KEPT",
    "Answer",
    "check_idempotency_key",
    "claim_answer",
    "compute_fingerprint",
    "delete_old_answers",
    "forget_answers",
    "release_claim",
    "store_answer",
]

HEADER = "Idempotency-Key"
KEPT = timedelta(hours=24)
_MAX_KEY_LENGTH = 255


@dataclass(frozen=True)
class Answer:
    """An answer of the API: its status, the headers that the view set, and its body."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


def check_idempotency_key(key: str) -> str:
    """The key as given. Raises Invalid for an empty one, one over 255 characters, or one not of visible ASCII."""
    if not key or len(key) > _MAX_KEY_LENGTH or not all("!" <= character <= "~" for character in key):
        raise Invalid(
            fields={
                HEADER: gettext("give 1 to {most} visible ASCII characters, such as a UUID.").format(
                    most=_MAX_KEY_LENGTH
                )
            }
        )
    return key


def compute_fingerprint(method: str, address: str, body: bytes) -> str:
    """What tells two requests apart: 64 hex digits. address: the path with its query."""
    digest = hashlib.sha256(f"{method} {address}\n".encode())
    digest.update(body)
    return digest.hexdigest()


def claim_answer(*, caller: str, key: str, fingerprint: str) -> Answer | None:
    """Claim the key for this request; the stored answer if an earlier request has it. Call it in a transaction.

    Raises Invalid if the earlier request was another one.
    """
    rows = StoredAnswer.objects.filter(caller=caller, idempotency_key=key)
    now = timezone.now()
    rows.filter(created_at__lt=now - KEPT).delete()
    claim = StoredAnswer(caller=caller, idempotency_key=key, fingerprint=fingerprint, created_at=now)
    StoredAnswer.objects.bulk_create([claim], ignore_conflicts=True)  # waits for whoever inserts the same key
    row = rows.get()
    if row.fingerprint != fingerprint:
        raise Invalid(
            fields={HEADER: gettext("was sent with another request before. Take a new key for each request.")}
        )
    return _unseal_answer(row.sealed) if row.sealed else None


def store_answer(*, caller: str, key: str, answer: Answer) -> None:
    """Store the answer under the claimed key. Sealed: it may hold a secret that is shown once, or a document."""
    packed = {"status": answer.status, "headers": answer.headers, "body": base64.b64encode(answer.body).decode("ascii")}
    rows = StoredAnswer.objects.filter(caller=caller, idempotency_key=key)
    rows.update(sealed=encryption.seal(json.dumps(packed)))


def release_claim(*, caller: str, key: str) -> None:
    """Release a claimed key: what was refused changed nothing, and may be sent again under the same key."""
    if not transaction.get_rollback():  # else the claim goes with the transaction
        StoredAnswer.objects.filter(caller=caller, idempotency_key=key).delete()


def forget_answers() -> None:
    """Delete all answers, since nobody can tell which of them repeat a redacted text."""
    StoredAnswer.objects.all().delete()


def delete_old_answers() -> None:
    """Delete the answers that are older than a day."""
    StoredAnswer.objects.filter(created_at__lt=timezone.now() - KEPT).delete()


def _unseal_answer(sealed: str) -> Answer:
    packed = json.loads(encryption.unseal(sealed))
    return Answer(packed["status"], base64.b64decode(packed["body"]), packed["headers"])
