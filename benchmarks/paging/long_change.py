"""The change of a long template, each line of which it changes."""

from benchmarks.paging.names import QUIET
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import services as change_services
from registry.journal import log
from registry.templates import save as template_save
from registry.templates.label_models import Label

__all__ = ["LONG", "add_long_change"]

LONG = f"{QUIET}/letters/rules"  # in the namespace that isn't copied
_LINES = 300
_HEAD = "---\ninputs: {shop: {type: string}}\n---\n- name: rules\n  role: system\n  content: |\n"


def add_long_change(author: User) -> None:
    """Add the template with its first version in production, and the open change of its second one."""
    actor = Actor(author)
    samples = {"boots": {"shop": "Boots & Co"}}
    first = template_save.save_version(
        actor=actor, name=LONG, document=_write_document("customer"), message="", samples=samples
    ).version
    Label.objects.create(template=first.template, name="production", version=first, moved_at=log.now())
    template_save.save_version(
        actor=actor, name=LONG, document=_write_document("reader"), message="", base=first.digest
    )
    change_services.propose_change(actor=actor, name=LONG, label="production", version=2, message="Say reader")


def _write_document(word: str) -> str:
    rules = (f"    {number}. Treat the {word} of {{{{ shop }}}} with care.\n" for number in range(1, _LINES + 1))
    return _HEAD + "".join(rules)
