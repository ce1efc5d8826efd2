"""Adding and removing remotes of the mirror. Each machine has its own, so they are not in the journal."""

import re
from pathlib import Path

from django.db import IntegrityError, transaction

from registry.accounts.actor import Actor
from registry.core import names
from registry.core.errors import Conflict, Invalid, NotAllowed, NotFound
from registry.journal import log
from registry.mirror.models import Remote

__all__ = ["add_remote", "remove_remote"]

_PLAIN = re.compile(r"[\w./-]+")


def add_remote(
    *,
    actor: Actor,
    name: str,
    url: str,
    user: str = "",
    token_file: str = "",
    key_file: str = "",
    known_hosts: str = "",
) -> Remote:
    """Add a remote, to which the mirror is pushed from now on. The caller has checked the URL's destination.

    Over https: user and the file of a token, or neither. Over ssh: the file of a private key and that of the host's
    keys.
    """
    _require_operator(actor)
    names.check_slug("name", name)
    ssh = url.startswith("ssh:")
    files = {"token_file": token_file, "key_file": key_file, "known_hosts": known_hosts}
    if ssh and not (key_file and known_hosts):
        raise Invalid(fields={"key_file": "over ssh name the file of a private key and that of the host's keys."})
    if (key_file or known_hosts) if not ssh else (token_file or user):
        raise Invalid(fields={"token_file": "a token is for https, a key and known hosts for ssh."})
    if token_file and not user:
        raise Invalid(fields={"user": "say who the token signs in (many hosts take any name, as in git)."})
    absolute = {field: str(_require_file(field, path)) if path else "" for field, path in files.items()}
    try:
        with transaction.atomic():
            return Remote.objects.create(name=name, url=url, user=user, added_at=log.now(), **absolute)
    except IntegrityError as error:
        raise Conflict(f"There is a remote {name} already.") from error


def remove_remote(*, actor: Actor, name: str) -> None:
    """Remove a remote; the outside repository keeps its content."""
    _require_operator(actor)
    if not Remote.objects.filter(name=name).delete()[0]:
        raise NotFound(f"There is no remote {name}.")


def _require_operator(actor: Actor) -> None:
    if not actor.is_operator:
        raise NotAllowed("Remotes are set on the machine itself: `manage.py mirror remote`.")


def _require_file(field: str, path: str) -> Path:
    file = Path(path).absolute()
    if not file.is_file():
        raise Invalid(fields={field: f"there is no file {file}."})
    if not _PLAIN.fullmatch(str(file)):
        raise Invalid(
            fields={field: f"{file} has characters that ssh reads as something else: use letters, digits and ._-"}
        )
    return file
