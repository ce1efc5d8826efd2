"""The program of the restore drill.

`python -m tests.support.restore_drill_driver build <templates> <versions>`, or `photograph`.
"""

import json
import sys

import django

django.setup()

from django.db import transaction

from registry.accounts import actor
from registry.accounts.actor import Actor
from registry.accounts.models import User
from registry.changes import check_results, decisions, rules, threads
from registry.changes import services as change_services
from registry.changes.threads import Place
from registry.namespaces import keys
from registry.namespaces import services as namespace_services
from registry.redaction import services as redaction_services
from registry.templates import archive, labels, samples
from registry.templates import save as template_save
from tests.support import row_snapshot

SPACES = ("support", "sales", "tools", "legal")
VARIETY = 7  # templates share texts, so that each is checked once and the drill stays short


def build(count: int, depth: int) -> None:
    """Build the templates with their versions; every eighth has samples, requests, discussion,
    decisions and label moves."""
    cast = make_cast()
    for number in range(count):
        name = f"{SPACES[number % len(SPACES)]}/folder{number % VARIETY}/t{number}"
        with transaction.atomic():  # one disk flush per template
            digests = save_versions(cast["author"], name, depth, number % VARIETY)
            if number % 8 == 0:
                publish(cast, name, digests, with_checks=number % 40 == 0)
            if number % 25 == 0:
                archive.archive_template(actor=actor.build_operator_actor(), name=name, reason="Old", force=True)
    finish(cast, count)


def make_cast() -> dict[str, Actor]:
    """Make namespaces with their own rules, and their members."""
    operator = actor.build_operator_actor()
    cast = {role: Actor(User.objects.create(username=role)) for role in ("author", "reviewer", "admin")}
    for name in SPACES:
        namespace_services.create_namespace(
            actor=operator, name=name, protected_labels=["production"], required_checks=[]
        )
        for role in cast:
            namespace_services.set_role(actor=operator, namespace=name, username=role, role=role)
    owners = [{"pattern": "folder1/*", "people": ["reviewer"]}]
    rules.set_rules(actor=operator, namespace="support", owners=owners, break_glass=True)
    rules.set_rules(actor=operator, namespace="sales", approvals=2, protected_labels=["production", "eu"])
    return cast


def save_versions(author: Actor, name: str, depth: int, variant: int) -> list[str]:
    """Save the versions; return their digests in order."""
    digests: list[str] = []
    for version in range(1, depth + 1):
        document = (
            f"---\ntags: [t{version}, v{variant}]\n---\n- name: a\n"
            f"  content: Version {version}.{variant} for {{{{ who }}}}\n"
        )
        base = digests[-1] if digests else None
        saved = template_save.save_version(
            actor=author, name=name, document=document, message=f"Say {version}", base=base
        )
        digests.append(saved.version.digest)
    return digests


def publish(cast: dict[str, Actor], name: str, digests: list[str], *, with_checks: bool) -> None:
    """Add samples, an unprotected label, and discussed requests: one published, one rolled back, one withdrawn."""
    author, reviewer, admin = cast["author"], cast["reviewer"], cast["admin"]
    samples.save_samples(actor=author, name=name, samples={"plain": {"who": "Käthe"}})
    labels.move_label(actor=author, name=name, label="staging", version=1, expected=None)
    labels.move_label(actor=author, name=name, label="staging", version=3, expected=1)
    for version in (2, 4):
        change = change_services.propose_change(
            actor=author, name=name, label="production", version=version, message="Please"
        )
        thread = threads.open_thread(
            actor=reviewer, number=change.number, place=Place(version=version, line=4), text="Why?", suggestion="  b"
        )
        threads.reply_to_thread(actor=author, number=change.number, thread=thread.number, text="Because\n\nof this")
        threads.resolve_thread(actor=author, number=change.number, thread=thread.number)
        if with_checks:
            check_results.run_checks(number=change.number)
        for decider in (reviewer, admin):
            decisions.decide_on_change(
                actor=decider, number=change.number, decision="approve", digest=digests[version - 1], text="Good"
            )
        change_services.publish_change(actor=author, number=change.number)
    labels.roll_back_label(actor=reviewer, name=name, label="production", version=2, reason="Too bold")
    other = change_services.propose_change(actor=author, name=name, label="production", version=5, message="")
    decisions.decide_on_change(
        actor=reviewer, number=other.number, decision="request_changes", digest=digests[4], text="No:\n- old"
    )
    change_services.withdraw_change(actor=author, number=other.number, reason="Not needed")


def finish(cast: dict[str, Actor], count: int) -> None:
    """Issue and revoke keys, remove a member, save a fragment with its dependant, and redact a text."""
    operator, author, admin = actor.build_operator_actor(), cast["author"], cast["admin"]
    keys.issue_key(actor=admin, namespace="support", name="shop", scope="read", person="author", approved_only=True)
    revoked = keys.issue_key(actor=admin, namespace="sales", name="old", scope="write")
    keys.revoke_key(actor=admin, key_id=revoked.key.id)
    policy = "---\nformat: text\n---\nBe kind.\n"
    template_save.save_version(actor=author, name="support/policy", document=policy, message="")
    includes = '- name: a\n  content: |\n    {{ fragment("support/policy@1") }}\n'
    template_save.save_version(
        actor=author, name="support/includes", document=includes, message="", copied_from="support/policy@1"
    )
    secret = template_save.save_version(
        actor=author, name="support/secret", document="- name: a\n  content: s3cret\n", message=""
    )
    clean = "- name: a\n  content: clean\n"
    template_save.save_version(
        actor=author, name="support/secret", document=clean, message="", base=secret.version.digest
    )
    redaction_services.redact_version(actor=operator, name="support/secret", version=1, reason=f"One of {count}")
    namespace_services.set_role(actor=operator, namespace="legal", username="reviewer", role=None)


if __name__ == "__main__":
    if sys.argv[1] == "build":
        build(int(sys.argv[2]), int(sys.argv[3]))
    else:
        sys.stdout.write(json.dumps(row_snapshot.snapshot_rows(), sort_keys=True))
