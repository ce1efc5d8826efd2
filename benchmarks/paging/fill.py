"""Fills an empty database with people, namespaces and a given number of templates, each with its history."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.core.management import call_command
from django.db import connection, transaction

from benchmarks.paging.activity_rows import add_activity
from benchmarks.paging.copies import add_copies
from benchmarks.paging.journal_rows import JournalRows
from benchmarks.paging.long_change import add_long_change
from benchmarks.paging.names import NAMESPACES, QUIET, make_name
from benchmarks.paging.template_rows import Cast, TemplateRows
from registry.accounts.actor import Actor, build_operator_actor
from registry.accounts.models import Key, User
from registry.core.database_statistics import update_statistics
from registry.freezes.services import set_freeze
from registry.journal import log
from registry.namespaces import keys, services
from registry.namespaces.models import Namespace
from registry.releases.models import Release
from registry.templates import search_entries
from registry.templates.models import Draft, Template
from registry.webhooks.models import Webhook

__all__ = ["Filled", "add_people", "fill_database", "find_people", "issue_keys", "write_templates"]

BASE = 1_000  # templates that are generated; all others are copies of these
_QUIET_TEMPLATES, _DRAFTS = 5, 8
_KEY = "checkout"  # name of the key that fetches
_KEYED = ("ns0", QUIET)
ROLES = {"author": "author", "reviewer": "reviewer", "admin": "admin"}
_MARK = "Filled by benchmarks/pages.py"  # title of the release that is written last


@dataclass(frozen=True)
class Filled:
    """The people of a filled database; `reader` is a member of the quiet namespace only."""

    cast: Cast
    reader: User


def fill_database(size: int, versions: int) -> Filled:
    """Fill the database unless it is already filled. Raises SystemExit if an earlier fill didn't finish.

    size: up to a thousand, or a multiple of it.
    """
    call_command("migrate", verbosity=0)
    if not Template.objects.exists():
        _fill(add_people(), size, versions)
    elif not Release.objects.filter(title=_MARK).exists():
        raise SystemExit("This database was filled in part only: remove it and start again.")
    return find_people()


def find_people() -> Filled:
    """Find the people that were added."""
    people = {person.username: person for person in User.objects.all()}
    return Filled(Cast(*(people[name] for name in ROLES)), people["reader"])


def issue_keys(filled: Filled) -> dict[str, str]:
    """Issue an admin's reading keys for a busy namespace and the quiet one; return the secrets by namespace."""
    actor = Actor(filled.cast.admin)
    return {
        name: keys.issue_key(actor=actor, namespace=name, name="bench", scope="read", approved_only=False).secret
        for name in _KEYED
    }


def add_people() -> Cast:
    """Add people, namespaces, and what each database has once: a freeze, a key, a webhook, drafts and a
    long change."""
    operator = build_operator_actor()
    people = {name: User.objects.create(username=name) for name in (*ROLES, "reader")}
    for name in [*(f"ns{number}" for number in range(NAMESPACES)), QUIET]:
        services.create_namespace(actor=operator, name=name, protected_labels=["production"])
        for person, role in ROLES.items():
            services.set_role(actor=operator, namespace=name, username=person, role=role)
    services.set_role(actor=operator, namespace=QUIET, username="reader", role="reader")
    times = {"repeat": "weekly", "starts": "fri 16:00", "ends": "mon 08:00", "reason": "Nobody is in on weekends."}
    set_freeze(actor=operator, namespace="ns1", **times)
    cast, space = Cast(*(people[name] for name in ROLES)), Namespace.objects.get(name="ns0")
    keys.issue_key(actor=Actor(cast.admin), namespace="ns0", name=_KEY, scope="read")
    _add_webhook(cast, space)
    _add_drafts(cast, space)
    add_long_change(cast.author)
    return cast


def write_templates(cast: Cast, numbers: Sequence[int], total: int, versions: int) -> None:
    """Write the templates with these numbers and their history; negative numbers belong to the quiet namespace."""
    spaces = {space.name: space for space in Namespace.objects.all()}
    key, webhook = Key.objects.get(name=_KEY), Webhook.objects.get()
    journal = JournalRows()
    rows = TemplateRows(cast, journal, versions, log.now() - timedelta(hours=1))
    named = [(number, _make_name(number)) for number in numbers]
    with transaction.atomic():
        written = rows.write([(number, name, spaces[name.partition("/")[0]]) for number, name in named], total)
        add_activity(cast, journal, key, webhook, written)
        journal.flush()


def _make_name(number: int) -> str:
    return make_name(number) if number >= 0 else f"{QUIET}/letters/letter{-number}"


def _fill(cast: Cast, size: int, versions: int) -> None:
    base = min(size, BASE)
    for numbers in (range(-_QUIET_TEMPLATES, 0), range(base)):
        write_templates(cast, numbers, size, versions)
    search_entries.rebuild_entries()
    add_copies(size // base - 1, base)
    _add_mark(cast)
    if connection.vendor == "postgresql":  # in an installation, the server does it by itself
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    update_statistics()


def _add_webhook(cast: Cast, namespace: Namespace) -> None:
    facts = {"id": "bench000", "namespace": namespace, "url": "https://hooks.example.com/bench", "cursor": 2**62}
    Webhook.objects.create(**facts, created_by=cast.admin, created_at=log.now())


def _add_drafts(cast: Cast, namespace: Namespace) -> None:
    at = log.now()
    facts = {"person": cast.admin, "namespace": namespace, "document": "- role: user\n", "updated_at": at}
    Draft.objects.bulk_create([Draft(path=f"drafts/draft{number}", **facts) for number in range(_DRAFTS)])


def _add_mark(cast: Cast) -> None:
    last = Release.objects.select_related("namespace").latest("number")
    at = log.now()
    row = Release(number=last.number + 1, namespace=last.namespace, label="production", title=_MARK)
    row.opened_by, row.created_at, row.updated_at, row.closed_at, row.state = cast.author, at, at, at, Release.WITHDRAWN
    row.save(force_insert=True)
