"""Loading of the starter library through the services: checked, versioned, approved and in the journal.

A first start prepares it, which takes a second, and starts the page server; the rest is loaded while it runs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from promptuary.renderer.syntax.yaml_reader import compose, read_value
from registry.accounts.actor import Actor, build_operator_actor
from registry.accounts.models import Key, User
from registry.journal import log
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.namespaces.models import Namespace
from registry.notifications.models import Notification
from registry.people import administration
from registry.starter import demo_connection, evaluation_demo, progress, rollout_demo
from registry.starter.progress import LoadProgress
from registry.starter.versions import publish_once, save_once
from registry.templates import labels
from registry.templates.label_models import Label

__all__ = ["PEOPLE", "is_starter_loaded", "load_starter", "prepare_starter", "read_demo_key"]

PEOPLE = ("author", "reviewer", "reader", "admin")
REPLY = "support/refunds/reply"
_KEY_NAME = "demo service"
_FOLDER = Path(__file__).parent
_REPLY_MESSAGES = ("Answer from the excerpts", "Name the section, choose a tone", "Quote the line before answering")


def is_starter_loaded() -> bool:
    """Whether this instance has the whole demo already."""
    return progress.read_progress() is None and _has_key()


def prepare_starter() -> None:
    """Make what the first page needs: the people, their namespaces `demo` and `support`, and the demo's reading key."""
    progress.write_progress(LoadProgress(0, _count_steps()))
    for name in PEOPLE:
        _make_person(name)
    administration.set_installation_admin(actor=build_operator_actor(), username="admin", is_admin=True)
    admin = Actor(User.objects.get(username="admin"))  # read again: the rights of the row are newer than the object
    for name, protected in (("demo", ()), ("support", ("production",))):
        if not Namespace.objects.filter(name=name).exists():
            namespace_services.create_namespace(actor=admin, name=name, protected_labels=protected, approvals=1)
        for role in ("author", "reviewer", "reader"):
            namespace_services.set_role(actor=admin, namespace=name, username=role, role=role)
    demo_connection.cap_demo_spending(admin)
    if not _has_key():
        _keep_key(admin)


def load_starter(say: Callable[[str], None]) -> None:
    """Load all of the demo into an instance that `prepare_starter` prepared, and tell how far it is.

    say: takes a line for each step. Everything is written with the rights of the person who would do it. If an earlier
    load stopped halfway, this one continues from there.
    """
    steps = _Steps(say, _count_steps())
    admin, author, reviewer = (Actor(User.objects.get(username=role)) for role in ("admin", "author", "reviewer"))
    for path in _list_documents():
        name = f"demo/{path.name.removesuffix('.yml.j2')}"
        steps.begin(name)
        _save(author, name, path, 1, "Starter template")
        if not Label.objects.filter(template__name=name, name="production").exists():
            labels.move_label(actor=author, name=name, label="production", version=1, expected=None)
    steps.begin(f"support/policy and {REPLY}, versions 1 to 3")
    _save(author, "support/policy", _FOLDER / "support/policy.yml.j2", 1, "Terms as published in May")
    for number, message in enumerate(_REPLY_MESSAGES, start=1):
        _save(author, REPLY, _FOLDER / f"support/refunds/reply.v{number}.yml.j2", number, message)
        if number <= 2:
            publish_once(author, reviewer, REPLY, number, message)
    evaluation_demo.load_evaluation_demo(admin, author, reviewer, steps.begin)
    steps.begin(f"{rollout_demo.TEMPLATE}: a rollout at 5 %, made-up scores of {rollout_demo.CUSTOMERS:,} replies")
    rollout_demo.load_rollout_demo(author, reviewer)
    key = Key.objects.select_related("person").get(name=_KEY_NAME, namespace__name="support")
    rollout_demo.report_scores(Actor(key.person, key))
    Notification.objects.filter(mailed_at=None).update(mailed_at=log.now())  # the demo's data is mailed to nobody
    for name in PEOPLE:
        User.objects.filter(username=name, email="").update(email=f"{name}@example.org")
    progress.end_load()


@dataclass
class _Steps:
    """The steps of a load: a line and the file of the progress for each."""

    say: Callable[[str], None]
    total: int
    begun: int = 0

    def begin(self, step: str) -> None:
        """Tell what is being made now."""
        progress.write_progress(LoadProgress(self.begun, self.total, step.partition(":")[0]))
        self.begun += 1
        self.say(f"{step} ({self.begun} of {self.total})")


def _list_documents() -> list[Path]:
    return sorted((_FOLDER / "demo").glob("*.yml.j2"))


def _count_steps() -> int:
    """Each document of `demo`, the reply, two evaluations, and the rollout."""
    return len(_list_documents()) + 4


def read_demo_key() -> str | None:
    """The demo's reading key for the namespace support, or None before the demo was loaded."""
    path = _locate_key()
    return path.read_text(encoding="ascii").strip() if path.exists() else None


def _locate_key() -> Path:
    return Path(settings.PROMPTUARY_HOME) / "demo-key"


def _has_key() -> bool:
    return Key.objects.filter(name=_KEY_NAME, namespace__name="support").exists()


def _make_person(name: str) -> None:
    """Without an address, which the load gives at its end: nobody gets mail about what it makes."""
    person, is_new = User.objects.get_or_create(username=name)
    if is_new:
        person.set_password(f"{name}-promptuary")
        person.save()


def _save(actor: Actor, name: str, path: Path, number: int, message: str) -> None:
    save_once(actor, name, number, path.read_text(encoding="utf-8"), message, samples=_read_samples(path))


def _read_samples(path: Path) -> dict[str, Any] | None:
    name = path.name.removesuffix(".yml.j2").split(".")[0]
    samples = path.with_name(f"{name}.samples.yml")
    return read_value(compose(samples.read_text(encoding="utf-8"))) if samples.exists() else None


def _keep_key(admin: Actor) -> None:
    """Make the demo's key and keep it in its file: both, or neither."""
    with transaction.atomic():
        issued = keys.issue_key(actor=admin, namespace="support", name=_KEY_NAME, scope="read", person="reader")
        _locate_key().unlink(missing_ok=True)
        _locate_key().touch(mode=0o600)
        _locate_key().write_text(issued.secret, encoding="ascii")
