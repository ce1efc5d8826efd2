"""The story of the golden journal: every kind of event at least once, with and without each optional field.

`play_older` goes first and is recorded without the fields that came later; `play` tells the rest. Both use the services
only. Under `fix_clock_and_ids` each time and each id is the same whenever the story is played.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from unittest import mock

from allauth.mfa.models import Authenticator
from django.core.management.color import no_style
from django.db import connection, transaction

from registry.accounts import actor as accounts_actor
from registry.accounts.actor import Actor
from registry.accounts.models import Key, User
from registry.changes import check_results, decisions, emergencies, revisions, rules, suggestions, threads
from registry.changes import gate as change_gate
from registry.changes import merge as change_merge
from registry.changes import schedules as change_schedules
from registry.changes import services as change_services
from registry.changes.events import ChangeDecided
from registry.changes.models import ChangeRequest, DecisionAct
from registry.changes.queries import lock_change
from registry.changes.review_events import CommentAdded
from registry.changes.threads import Place
from registry.connections import services as connection_services
from registry.evaluations import attachments, dataset_archive, datasets, nightly_runs, person_scores, run_worker
from registry.evaluations.models import Run
from registry.freezes import services as freeze_services
from registry.invitations import services as invitation_services
from registry.journal import log
from registry.namespaces import folder_roles, groups, keys, revocations
from registry.namespaces import services as namespace_services
from registry.namespaces.verbs import Verb
from registry.notifications import services as notifications
from registry.notifications.conversations import notify_mentioned
from registry.people import administration
from registry.redaction import services as redaction_services
from registry.releases import comments as release_comments
from registry.releases import proposals as release_proposals
from registry.releases import roll_backs
from registry.releases import schedules as release_schedules
from registry.releases import services as releases
from registry.releases.comment_events import ReleaseCommented
from registry.releases.plans import ReleaseSelection
from registry.rollouts import publishing
from registry.rollouts import services as rollouts
from registry.templates import archive, labels, rename, samples
from registry.templates import save as template_save
from registry.templates.models import Version
from registry.templates.rename_losses import UnconfirmedRename
from registry.webhooks import services as webhook_services

__all__ = ["fix_clock_and_ids", "play", "play_older", "strip_later_fields"]

REPLY, OLD = "support/refunds/reply", "archive/notes/reply"
LINES = "- name: one\n  content: first\n- name: two\n  content: second\n- name: three\n  content: third\n"
ROWS = '{"id": "a", "inputs": {"name": "K\\u00e4the \\u2028"}, "expected": "x"}\n{"inputs": {"name": "b"}}\n'
ADMIN = "zoë.o'neil@example.org"  # a name that Git would not take as it is
PEOPLE = {"author": "author", "reviewer": "reviewer", "peer": "reviewer", "reader": "reader", ADMIN: "admin"}  # roles
UNTIL = datetime.fromisoformat("2027-01-01T00:00:00.000123+00:00")
STEP = timedelta(seconds=7, microseconds=7)  # the events of one act of an older release lie within a minute
LATER = ("merged_from", "suggestions", "decided")  # fields of a body that older releases did not write
LATER_OF_KIND = {"change.headed": ("from",), "key.issued": ("verbs", "labels", "addresses")}
Cast = dict[str, Actor]


@contextmanager
def fix_clock_and_ids() -> Iterator[None]:
    """The journal's clock advances by the same step at each read; the ids of keys and webhooks are fixed."""
    clock = mock.patch.object(log, "now", _count_moments().__next__)
    # When the journal was recorded, three functions read the clock once more than now. They run within acts that
    # decide on several changes, so the story can't read it for them: they are replaced by ones that do.
    replacements: dict[str, Any] = {
        "_write": partial(_read_clock_and_write, notifications._write),
        "notify_mentioned": partial(_notify_mentioned_and_read_clock, notify_mentioned),
        "notify_of_decision": partial(_notify_of_decision_and_read_clock, notifications.notify_of_decision),
    }
    with (
        clock,
        mock.patch.multiple(notifications, **replacements),
        mock.patch("secrets.choice", random.Random(14).choice),
    ):
        yield


def _read_clock_and_write(write: Callable[..., None], actor: Actor, kind: str, *rest: Any, **more: Any) -> None:
    """Write notifications. Those of remarks read the clock when the journal was recorded."""
    if kind in (ChangeDecided.kind, CommentAdded.kind, ReleaseCommented.kind):
        log.now()
    write(actor, kind, *rest, **more)


def _notify_of_decision_and_read_clock(
    notify: Callable[..., None], actor: Actor, act: DecisionAct, taken_back: str | None = None
) -> None:
    """Notify of a decision. When the journal was recorded, people were notified of each decision of a joint act at its
    own time.
    """
    notify(actor, act, taken_back)
    if act.earlier or not act.is_last:
        log.now()


def _notify_mentioned_and_read_clock(notify: Callable[..., list[User]], *facts: Any, **more: Any) -> list[User]:
    """Notify people mentioned in a remark. When the journal was recorded, notifying read the clock."""
    notified = notify(*facts, **more)
    if notified:
        log.now()
    return notified


def strip_later_fields(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of an event as older releases wrote it."""
    later = (*LATER, *LATER_OF_KIND.get(kind, ()))
    return {name: value for name, value in body.items() if name not in later}


def play_older() -> None:
    """A namespace of before versions said what they took in, and requests what they were decided on."""
    cast = _make_namespace("archive")
    admin = cast["admin"]
    keys.issue_key(actor=admin, namespace="archive", name="shop", scope="read", person="reader")
    first = _save(cast["author"], OLD, LINES)
    _publish(cast, OLD, first)
    second = _save(cast["author"], OLD, LINES.replace("first", "FIRST"), first)
    _publish(cast, OLD, second)
    _save(admin, OLD, LINES.replace("third", "THIRD"), first)
    number = change_services.propose_change(
        actor=cast["author"], name=OLD, label="production", version=3, message=""
    ).number
    change_merge.merge_change(actor=cast["author"], number=number)
    _withdraw_without_reason(cast["author"], number)
    change_services.reopen_change(actor=cast["author"], number=number)
    place = Place(version=4, line=2)
    threads.open_thread(actor=admin, number=number, place=place, text="", suggestion="  content: better\n")
    suggestions.apply_suggestions(actor=cast["author"], number=number, comments=[(1, 1)], confirm=True)
    rules.set_rules(actor=admin, namespace="archive", break_glass=True)
    emergencies.publish_in_emergency(actor=cast["reviewer"], number=number, reason="It burns")
    _decide(cast["peer"], number, "request_changes", "Why so fast?")
    _decide(cast["peer"], number, "approve", "I see")
    labels.roll_back_label(actor=cast["reviewer"], name=OLD, label="production", version=2, reason="It went wrong")


def play() -> None:
    """A namespace with everything in it."""
    cast = _make_namespace("support")
    _set_rules_and_members(cast)
    shop = _manage_keys(cast)
    _save_versions(cast, shop)
    _move_labels(cast)
    _review(cast)
    _merge_and_suggest(cast)
    _hurry(cast)
    _measure(cast)
    _set_webhooks(cast)
    _redact_and_archive(cast)
    _filter_webhook(cast["admin"])
    _connect_models(cast["admin"])
    _invite_people(cast["admin"])
    _release_together(cast)
    _manage_accounts()
    _set_freezes(cast)
    _count_scores(cast)
    _schedule(cast)
    _tell_a_channel(cast["admin"])
    _measure_nightly(cast["admin"])
    _roll_out(cast)
    _fail_and_recover(cast)
    _limit_addresses(cast["admin"])
    _require_two_step()
    _rename(cast)
    _group_people(cast["admin"])
    _approve_by_group(cast)
    _archive_dataset(cast)
    _converse(cast)
    _give_folder_roles(cast)
    _plan_rollout(cast)
    _edit_release_comments(cast)
    _cancel_revocations(cast)


def _count_moments() -> Iterator[datetime]:
    moment = datetime(2026, 3, 2, 9, 0, 0, 1, tzinfo=UTC)
    while True:
        yield moment
        moment += STEP


def _make_namespace(namespace: str) -> Cast:
    """Make the namespace and its people; return them by name, the admin as `admin`."""
    operator = accounts_actor.build_operator_actor()
    namespace_services.create_namespace(
        actor=operator, name=namespace, protected_labels=["production"], required_checks=[]
    )
    for username, role in PEOPLE.items():
        User.objects.get_or_create(username=username)
        namespace_services.set_role(actor=operator, namespace=namespace, username=username, role=role)
    cast = {username: Actor(User.objects.get(username=username)) for username in PEOPLE}
    return {**cast, "admin": cast[ADMIN]}


def _set_rules_and_members(cast: Cast) -> None:
    admin = cast["admin"]
    namespace_services.create_namespace(
        actor=admin, name="own", approvals=2, compatibility="backward", suggesters_may_approve=True
    )
    rules.set_rules(actor=admin, namespace="own", self_approval=True, keys_approved_only=False)
    owners = [{"pattern": "guarded/*", "people": [ADMIN]}]
    checks = ["problems", "samples", "budget", "contract"]
    rules.set_rules(actor=admin, namespace="support", owners=owners, required_checks=checks)
    namespace_services.set_role(actor=admin, namespace="own", username="reader", role="author")
    namespace_services.set_role(actor=admin, namespace="own", username="reader", role=None)


def _manage_keys(cast: Cast) -> Key:
    """Issue keys of every form; return one that may write."""
    admin, where = cast["admin"], "support"
    shop = keys.issue_key(
        actor=admin, namespace=where, name="shop", scope="write", person="author", approved_only=False
    )
    keys.issue_key(actor=admin, namespace=where, name="narrow", verbs=["fetch", "move"], labels=["staging"])
    lasting = keys.issue_key(
        actor=admin, namespace=where, name="Läden", scope="read", expires_at=UNTIL, approved_only=True
    )
    rotated = keys.rotate_key(actor=admin, key_id=lasting.key.id, keep_until=UNTIL - timedelta(days=30))
    keys.rotate_key(actor=admin, key_id=rotated.key.id)
    keys.revoke_key(actor=admin, key_id=keys.issue_key(actor=admin, namespace=where, name="old", scope="read").key.id)
    ending = keys.issue_key(actor=admin, namespace=where, name="ending", scope="read", person="reader")
    keys.revoke_key(actor=cast["reader"], key_id=ending.key.id, keep_until=UNTIL)
    return shop.key


def _save_versions(cast: Cast, shop: Key) -> None:
    author = cast["author"]
    first = _save(author, REPLY, _greet("hello"), samples={"plain": {"name": "Käthe\n"}}, message="Begin\n\nwith this")
    second = _save(author, REPLY, _greet("good day"), first, message="Promptuary-Event: 1\n\nPromptuary-Chain: x")
    third = _save(Actor(author.person, shop), REPLY, _greet("good bye").replace("\n", "\r\n"), second)
    document = f"---\ntags: [old, new]\ndescription: Käse\nmodel: gpt-4o\nsettings: {{temperature: 0.25}}\n---\n{LINES}"
    _save(author, "support/copied", document, copied_from=f"{REPLY}@{third.number}", message="")
    _save(author, "support/policy", "---\nformat: text\n---\nBe kind to {{ name }}.\n")
    _save(author, "support/guarded/whole", '- name: a\n  content: |\n    {{ fragment("support/policy@1") }}\n')
    samples.save_samples(actor=author, name=REPLY, samples={"other": {"name": "x"}, "plain": {"name": "Ada"}})
    samples.save_samples(actor=Actor(author.person, shop), name=REPLY, samples={"plain": {"name": "Ada"}})


def _move_labels(cast: Cast) -> None:
    author, reviewer = cast["author"], cast["reviewer"]
    labels.move_label(actor=author, name=REPLY, label="staging", version=1, expected=None)
    labels.move_label(actor=author, name=REPLY, label="staging", version=3, expected=1)
    labels.roll_back_label(actor=reviewer, name=REPLY, label="staging", version=1, reason="Worse\n\nin every way")
    labels.remove_label(actor=author, name=REPLY, label="staging", expected=1)
    labels.move_label(actor=author, name=REPLY, label="staging", version=2, expected=None)
    labels.move_label(actor=author, name="support/policy", label="live", version=1, expected=None)
    rules.set_rules(actor=cast["admin"], namespace="support", protected_labels=["live", "production"])


def _review(cast: Cast) -> None:
    """A request with discussion and every decision; a stricter rule; publications and a roll back by approval."""
    author, reviewer = cast["author"], cast["reviewer"]
    number = change_services.propose_change(
        actor=author, name=REPLY, label="production", version=1, message="At\n\nlast"
    ).number
    change_services.set_head(actor=author, number=number, version=2)
    thread = threads.open_thread(actor=reviewer, number=number, place=Place(version=2, line=1), text="Why?\n\n  Really")
    threads.resolve_thread(actor=author, number=number, thread=thread.number)
    threads.resolve_thread(actor=author, number=number, thread=thread.number, resolved=False)
    threads.reply_to_thread(actor=author, number=number, thread=thread.number, text="Because", suggestion="")
    place = Place(version=2, line=1, side="rendered", sample="plain", part=0)
    threads.open_thread(actor=reviewer, number=number, place=place, text="As it reads")
    check_results.run_checks(number=number)
    _decide(reviewer, number, "comment", "Promptuary-Chain: y\nSay: more")
    _decide(reviewer, number, "request_changes", "Not yet")
    with mock.patch.object(decisions, "_require_break"):  # earlier releases took it before the check had failed
        _decide(reviewer, number, "acknowledge", "The break is meant")
    _decide(reviewer, number, "approve")
    change_services.publish_change(actor=author, number=number)
    _publish(cast, REPLY, Version.objects.get(template__name=REPLY, number=3))
    labels.roll_back_label(actor=reviewer, name=REPLY, label="production", version=2, reason="Polite again")
    _withdraw_what_fails(cast)
    protected = ChangeRequest.objects.get(template__name="support/policy")  # opened when its label became protected
    _approve_and_publish(cast, protected)


def _withdraw_what_fails(cast: Cast) -> None:
    """Propose a version whose samples lack a value; it is redacted later, with the lines quoted from it."""
    author, reviewer = cast["author"], cast["reviewer"]
    fourth = _save(author, REPLY, _greet("hello {{ title }}"), Version.objects.get(template__name=REPLY, number=3))
    number = change_services.propose_change(
        actor=author, name=REPLY, label="production", version=fourth.number, message="Titles"
    ).number
    threads.open_thread(
        actor=reviewer, number=number, place=Place(version=4, line=4), text="Which?", suggestion="    hi\n"
    )
    check_results.run_checks(number=number)
    change_services.withdraw_change(actor=author, number=number, reason="Not yet")
    change_services.reopen_change(actor=author, number=number)
    _withdraw_without_reason(reviewer, number)


def _withdraw_without_reason(actor: Actor, number: int) -> None:
    """Withdraw without a reason, as earlier releases allowed."""
    with transaction.atomic():
        change = lock_change(actor, Verb.PROPOSE, number)
        change_services.withdraw_open(actor, change_gate.evaluate(change, actor), "")


def _merge_and_suggest(cast: Cast) -> None:
    author, name = cast["author"], "support/merged"
    first = _save(author, name, LINES)
    _publish(cast, name, first)
    _publish(cast, name, _save(author, name, LINES.replace("first", "FIRST"), first))
    _save(author, name, LINES.replace("third", "THIRD"), first)
    number = change_services.propose_change(actor=author, name=name, label="production", version=3, message="").number
    change_merge.merge_change(actor=author, number=number)
    place = Place(version=4, line=2, end_line=2)
    threads.open_thread(actor=cast["admin"], number=number, place=place, text="", suggestion="  content: better\n")
    suggestions.apply_suggestions(actor=author, number=number, comments=[(1, 1)], confirm=True)
    check_results.run_checks(number=number)


def _hurry(cast: Cast) -> None:
    """Emergencies: approved afterwards, closed without approval, and one that waits."""
    author, reviewer, admin = cast["author"], cast["reviewer"], cast["admin"]
    rules.set_rules(actor=admin, namespace="support", break_glass=True)
    numbers = {}
    for name in ("support/first", "support/second", "support/third"):
        _save(author, name, "- name: a\n  content: Hi\n")
        numbers[name] = change_services.propose_change(
            actor=author, name=name, label="production", version=1, message=""
        ).number
        emergencies.publish_in_emergency(actor=reviewer, number=numbers[name], reason="It can't wait")
    _decide(admin, numbers["support/first"], "approve", "Rightly so")
    emergency = Version.objects.get(template__name="support/third", number=1)
    _publish(cast, "support/third", _save(author, "support/third", "- name: a\n  content: Ho\n", emergency))
    emergencies.close_emergency(actor=admin, number=numbers["support/third"], reason="Version 2 holds it")


def _measure(cast: Cast) -> None:
    author, admin = cast["author"], cast["admin"]
    first = datasets.save_dataset(actor=author, name="support/gold", text=ROWS, message="Begin\n\nwith two").version
    datasets.save_dataset(actor=author, name="support/gold", text=ROWS.partition("\n")[0], base=first.digest)
    common: dict[str, Any] = {"actor": admin, "namespace": "support", "dataset": "support/gold", "model": "echo"}
    attachments.attach_evaluation(
        **common, name="pinned", pattern="hello/*", gates=["squad_f1 - 0.02"], dataset_version=1
    )
    attachments.attach_evaluation(
        **common, name="latest", pattern="hello/*", gates=["squad_f1 >= 0.8"], metrics=["bleu"]
    )
    attachments.detach_evaluation(actor=admin, namespace="support", name="latest")


def _set_webhooks(cast: Cast) -> None:
    admin, address = cast["admin"], "http://127.0.0.1:9/hook?token=x"
    everything = webhook_services.create_webhook(actor=admin, namespace="support", url=address).webhook
    some = webhook_services.create_webhook(
        actor=admin, namespace="support", url=address, kinds=["label.moved", "member.set"]
    ).webhook
    webhook_services.change_webhook(actor=admin, webhook_id=some.id, paused=True)
    webhook_services.change_webhook(actor=admin, webhook_id=some.id, paused=False, kinds=[])
    webhook_services.rotate_secret(actor=admin, webhook_id=everything.id)
    webhook_services.remove_webhook(actor=admin, webhook_id=some.id)


def _tell_a_channel(admin: Actor) -> None:
    address = "http://127.0.0.1:9/services/secret"
    webhook_services.create_webhook(actor=admin, namespace="support", url=address, receiver="slack")


def _measure_nightly(admin: Actor) -> None:
    attachments.attach_evaluation(
        actor=admin,
        namespace="support",
        name="nightly",
        pattern="judged",
        dataset="support/judged",
        model="echo",
        gates=["squad_f1 >= 0.5"],
        nightly=True,
    )


def _fail_and_recover(cast: Cast) -> None:
    """What is live fails in one night, and in the next one another version passes."""
    name = dataset = "support/watched"
    datasets.save_dataset(actor=cast["author"], name=dataset, text=ROWS, message="")
    first = _save(cast["author"], name, _greet("hello"))
    _publish(cast, name, first)
    attachments.attach_evaluation(
        actor=cast["admin"],
        namespace="support",
        name="watched",
        pattern="watched",
        dataset=dataset,
        model="echo",
        gates=["squad_f1 >= 0.75"],
        nightly=True,
    )
    _measure_tonight(UNTIL)
    _publish(cast, name, _save(cast["author"], name, "- name: question\n  role: user\n  content: x\n", first))
    _measure_tonight(UNTIL + timedelta(days=1))


def _measure_tonight(now: datetime) -> None:
    nightly_runs.start_nightly_runs(now)
    run_worker.advance_run(Run.objects.filter(night=nightly_runs.find_night(now)).get().pk)


def _redact_and_archive(cast: Cast) -> None:
    admin = cast["admin"]
    redaction_services.redact_version(
        actor=admin, name=REPLY, version=4, reason="A name stood in it\n\nof one", force=True
    )
    redaction_services.redact_version(actor=admin, name="support/merged", version=3, reason="Gone", everywhere=True)
    archive.archive_template(actor=admin, name="support/copied", reason="")
    archive.unarchive_template(actor=admin, name="support/copied")
    archive.archive_template(actor=admin, name="support/third", reason="Nobody asks for it", force=True)


def _rename(cast: Cast) -> None:
    """One with labels, samples and a redacted version, one that is archived, and one that gets its name back."""
    admin = cast["admin"]
    do = partial(_do_confirmed, rename.rename_template, actor=admin)
    do(name=REPLY, to="support/answers/reply", reason="Clearer\n\nfor all")
    _do_confirmed(rename.rename_folder, actor=admin, folder="support/answers", to="support/refunds/answers")
    do(name="support/third", to="support/retired/third")
    do(name="support/copied", to="support/copy")
    do(name="support/copy", to="support/copied")


def _do_confirmed(act: Callable[..., object], **given: Any) -> None:
    """Rename, although rules, roles or evaluations stay behind."""
    try:
        act(**given)
    except UnconfirmedRename as refusal:
        act(**given, confirmed=refusal.facts["seal"])


def _filter_webhook(admin: Actor) -> None:
    """A webhook for some templates only: its event has a pattern where others name a template."""
    address = "http://127.0.0.1:9/hook?token=x"
    webhook_services.create_webhook(actor=admin, namespace="support", url=address, template="refunds/*")


def _connect_models(admin: Actor) -> None:
    """A connection with prices and a key, one with neither that is removed, and the spending caps."""
    address: dict[str, Any] = {"namespace": "support", "base_url": "http://127.0.0.1:9/v1", "model": "small-1"}
    dear = connection_services.create_connection(
        actor=admin, **address, name="dear", key="sk-0", prompt_price="0.15", completion_price="2"
    )
    connection_services.change_connection(actor=admin, connection_id=dear.id, key="sk-1", per_second=2.5)
    plain = connection_services.create_connection(actor=admin, **address, name="plain", protocol="anthropic")
    connection_services.remove_connection(actor=admin, connection_id=plain.id)
    connection_services.set_caps(actor=admin, namespace="support", person_day="2.50", namespace_month=None)


def _invite_people(admin: Actor) -> None:
    """An invitation that is accepted, one that is taken back, and one that is open."""
    accepted = invitation_services.invite_person(actor=admin, namespace="support", role="reader")
    invitation_services.accept_invitation(
        actor=Actor(User.objects.create(username="invited")), secret=accepted.link.rpartition("/")[2]
    )
    ended = invitation_services.invite_person(actor=admin, namespace="support", role="author")
    invitation_services.end_invitation(actor=admin, invitation_id=ended.invitation.id)
    invitation_services.invite_person(actor=admin, namespace="support", role="reviewer", email="reader@shop.example")


def _manage_accounts() -> None:
    """One person deactivated and let in again, one reset, and one who stays deactivated."""
    operator = accounts_actor.build_operator_actor()
    administration.deactivate_person(actor=operator, username="reader")
    administration.reactivate_person(actor=operator, username="reader")
    Authenticator.objects.create(user=User.objects.get(username="peer"), type=Authenticator.Type.TOTP, data={})
    administration.reset_second_step(actor=operator, username="peer")
    administration.deactivate_person(actor=operator, username="invited")


def _release_together(cast: Cast) -> None:
    """Releases: two published one on top of the other, the second rolled back in part; one withdrawn, with words about
    it, a template added and one removed."""
    author, reviewer = cast["author"], cast["reviewer"]
    names = ["support/together/one", "support/together/two"]
    for round_number, words in enumerate(("hello", "good day"), 1):
        for name in names:
            before = Version.objects.filter(template__name=name).order_by("-number").first()
            _save(author, name, _greet(words), before)
        number = _propose_together(author, dict.fromkeys(names, round_number), f"Greet with {words}")
        members = ChangeRequest.objects.filter(release=number).order_by("number").select_related("version")
        for member in members:
            check_results.run_checks(number=member.number)
        digests = {member.number: member.version.digest for member in members}
        releases.approve_release(actor=reviewer, number=number, digests=digests, text="Both\n\nof them")
        releases.publish_release(actor=author, number=number)
    roll_backs.roll_back_release(actor=reviewer, number=number, reason="Too polite\n\nby far", templates=names[:1])
    alone = change_services.propose_change(
        actor=author, name="support/policy", label="production", version=1, message="Alone"
    )
    number = _propose_together(author, {"support/policy": 1, names[0]: 2}, "Käse")
    release_comments.comment_on_release(actor=reviewer, number=number, text="Promptuary-Chain: z\n\nWhy?")
    release_proposals.remove_from_release(actor=author, number=number, change=alone.number)
    release_proposals.add_to_release(actor=author, number=number, versions={"support/policy": 1})
    releases.withdraw_release(actor=author, number=number, reason="Not\n\nyet")


def _group_people(admin: Actor) -> None:
    """A group whose people, title and role change, and one that is removed."""
    support: dict[str, Any] = {"actor": admin, "namespace": "support"}
    groups.make_group(**support, title="Legal", role="reviewer")
    groups.add_to_group(**support, name="legal", username="reader")
    groups.add_to_group(**support, name="legal", username=ADMIN)
    groups.change_group(**support, name="legal", title="Käthe's lawyers", role="")
    groups.remove_from_group(**support, name="legal", username="reader")
    groups.make_group(**support, title="Agency", name="agency", role="author")
    User.objects.create(username="agent")
    groups.add_to_group(**support, name="agency", username="agent")
    groups.remove_group(**support, name="agency")


def _give_folder_roles(cast: Cast) -> None:
    """Roles in folders of people and a group: given, taken, moved with their folder, and ended with the holder's."""
    support: dict[str, Any] = {"actor": cast["admin"], "namespace": "support"}
    groups.make_group(**support, title="Contract owners", role="reader")
    groups.make_group(**support, title="Interns", role="reader")
    User.objects.create(username="Ünal")
    namespace_services.set_role(**support, username="Ünal", role="reader")
    folder_roles.set_folder_role(**support, folder="contracts", role="reviewer", group="contract-owners")
    folder_roles.set_folder_role(**support, folder="contracts", role="author", person="Ünal")
    folder_roles.set_folder_role(**support, folder="contracts/short", role="reviewer", person="Ünal")
    folder_roles.set_folder_role(**support, folder="contracts/short", role=None, person="Ünal")
    folder_roles.set_folder_role(**support, folder="contracts/short", role="author", group="interns")
    _do_confirmed(rename.rename_folder, actor=cast["admin"], folder="support/contracts", to="support/agreements")
    groups.change_group(**support, name="interns", role="")
    namespace_services.set_role(**support, username="Ünal", role=None)
    namespace_services.set_role(**support, username="Ünal", role="reader")
    folder_roles.set_folder_role(**support, folder="agreements", role="reviewer", person="Ünal")


def _approve_by_group(cast: Cast) -> None:
    """A folder if Legal has to approve, and a change that it approved."""
    rule = {"label": "production", "folder": "contracts", "approvals": 2, "groups": ["legal"]}
    rules.set_rules(actor=cast["admin"], namespace="support", approval_rules=[rule])
    version = _save(cast["author"], "support/contracts/reply", _greet("sign here"))
    change = change_services.propose_change(
        actor=cast["author"], name="support/contracts/reply", label="production", version=version.number, message=""
    )
    _decide(cast["admin"], change.number, "approve")
    _approve_and_publish(cast, change)


def _set_freezes(cast: Cast) -> None:
    """A freeze of every week, and one that happens once and is removed."""
    freeze = partial(freeze_services.set_freeze, actor=cast["admin"], namespace="own")
    freeze(repeat="weekly", starts="fri 16:00", ends="mon 08:00", time_zone="Europe/Zurich", reason="Nobody is there")
    once = freeze(repeat="once", starts="2100-01-01T00:00", ends="2100-01-02T00:00", reason="New year\n\nat last")
    freeze_services.remove_freeze(actor=cast["admin"], namespace="own", number=once.number)


def _schedule(cast: Cast) -> None:
    """A change and a release: each scheduled and taken back, then scheduled again and not published at its moment."""
    author, soon = cast["author"], 8  # seconds: after the service's first look at the clock, before its last
    number = change_services.propose_change(
        actor=author, name="support/policy", label="production", version=1, message="Later"
    ).number
    change_schedules.schedule_change(actor=author, number=number, at=UNTIL)
    change_schedules.unschedule_change(actor=author, number=number)
    at = log.now() + timedelta(seconds=soon)
    change_schedules.schedule_change(actor=author, number=number, at=at)
    change_schedules.publish_scheduled_change(number=number, at=at)
    number = _propose_together(author, {"support/policy": 1, "support/together/one": 2}, "Later")
    release_schedules.schedule_release(actor=author, number=number, at=UNTIL)
    release_schedules.unschedule_release(actor=author, number=number)
    at = log.now() + timedelta(seconds=soon)
    release_schedules.schedule_release(actor=author, number=number, at=at)
    release_schedules.publish_scheduled_release(number=number, at=at)


def _number_runs_from_one() -> None:
    """Tests before this one leave PostgreSQL's sequence if it is, and events name runs by number."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Run]):
            cursor.execute(statement)


def _count_scores(cast: Cast) -> None:
    """A gate on scores by people that is decided on two of them, and differently on four."""
    author, admin, name, dataset = cast["author"], cast["admin"], "support/judged", "support/judged"
    _number_runs_from_one()
    datasets.save_dataset(actor=author, name=dataset, text=ROWS, message="")
    attachments.attach_evaluation(
        actor=admin,
        namespace="support",
        name="people",
        pattern="judged",
        dataset=dataset,
        model="echo",
        gates=["reviewed_by_people >= 0.75"],
        scores_needed=2,
    )
    _save(author, name, _greet("hello"))
    change = change_services.propose_change(actor=author, name=name, label="production", version=1, message="")
    check_results.run_checks(number=change.number)
    run = Run.objects.get(template__name=name)
    run_worker.advance_run(run.pk)
    for person, score in (("reviewer", "good"), ("peer", "bad")):
        for index in (0, 1):
            person_scores.set_score(actor=cast[person], number=run.pk, index=index, score=score, comment="Käse")
        check_results.run_checks(number=change.number)


def _roll_out(cast: Cast) -> None:
    """Rollouts: one stopped after a pause, one that is finished, and one that still runs."""
    author, reviewer = cast["author"], cast["reviewer"]
    rule = {"metric": "helpful", "below": 0.85}
    for number, end in enumerate(("stop", "finish", "run"), 2):
        name = "support/gradual"
        before = Version.objects.filter(template__name=name).order_by("-number").first()
        if before is None:
            before = _save(author, name, _greet("hi"))
            _publish(cast, name, before)
        head = _save(author, name, _greet(f"hi {number}"), before)
        change = change_services.propose_change(
            actor=author, name=name, label="production", version=head.number, message="Slowly"
        )
        check_results.run_checks(number=change.number)
        _decide(reviewer, change.number, "approve")
        rollout = rollouts.start_rollout(actor=author, change=change.number, stop_rule=rule, salt=f"salt{number}")
        if end == "stop":
            rollouts.pause_rollout(actor=author, number=rollout.number, reason="Lunch\n\nbreak")
            rollouts.resume_rollout(actor=author, number=rollout.number)
            rollouts.step_rollout(actor=author, number=rollout.number)
            rollouts.stop_rollout(actor=reviewer, number=rollout.number, reason="Promptuary-Chain: z\n\nKäse")
            change_services.withdraw_change(actor=author, number=change.number, reason="Not so")
        elif end == "finish":
            rollouts.finish_rollout(actor=author, number=rollout.number)


def _plan_rollout(cast: Cast) -> None:
    """A change that is proposed to go live gradually, and another whose plan a schedule replaces."""
    author, name = cast["author"], "support/planned"
    first = _save(author, name, _greet("hi"))
    _publish(cast, name, first)
    rule = {"metric": "helpful", "below": 0.85}
    plan = {"steps": [{"share": 1000, "hours": None}], "stop_rule": rule}
    propose = partial(change_services.propose_change, actor=author, name=name, label="production", message="Slowly")
    planned = propose(version=_save(author, name, _greet("hi 2"), first).number, planned_rollout=plan)
    check_results.run_checks(number=planned.number)
    _decide(cast["reviewer"], planned.number, "approve")
    # The rollout that publishing starts draws its salt itself; it must be the same in each recording.
    with mock.patch("secrets.token_hex", return_value="salt5"):
        publishing.publish_as_proposed(actor=author, number=planned.number)
    dated = propose(version=_save(author, name, _greet("hi 3"), first).number, planned_rollout=plan)
    change_schedules.schedule_change(actor=author, number=dated.number, at=UNTIL)


def _edit_release_comments(cast: Cast) -> None:
    """A comment on a release that is edited, and another that is deleted after that."""
    author = cast["author"]
    version = _save(author, "support/spoken", _greet("hi"))
    number = _propose_together(author, {"support/spoken": version.number}, "Spoken")
    for text in ("Wy?", "Never mind"):
        release_comments.comment_on_release(actor=author, number=number, text=text)
    release_comments.edit_release_comment(actor=author, number=number, comment=1, text="Promptuary-Chain: z\n\nWhy?")
    release_comments.edit_release_comment(actor=author, number=number, comment=2, text="Käse")
    release_comments.delete_release_comment(actor=author, number=number, comment=2)


def _limit_addresses(admin: Actor) -> None:
    """A key issued with networks, one whose networks are set and removed, and one rotated with its networks."""
    office = ["203.0.113.0/24", "2001:db8::/32"]
    inside = keys.issue_key(actor=admin, namespace="support", name="inside", verbs=["fetch"], addresses=office).key
    keys.rotate_key(actor=admin, key_id=inside.id)
    open_key = keys.issue_key(actor=admin, namespace="support", name="open", verbs=["fetch"]).key
    for addresses in (["198.51.100.7"], [], office):
        keys.set_key_addresses(actor=admin, key_id=open_key.id, addresses=addresses)


def _cancel_revocations(cast: Cast) -> None:
    """Revocations set for later and cancelled: of a key with an end and networks, and of one without an end."""
    admin = cast["admin"]
    facts: dict[str, Any] = {"namespace": "support", "person": "reader", "verbs": ["fetch"]}
    with_end = facts | {"expires_at": UNTIL, "addresses": ["198.51.100.7"]}
    for issued in (with_end, facts):
        key = keys.issue_key(actor=admin, name="kept", **issued).key
        keys.revoke_key(actor=cast["reader"], key_id=key.id, keep_until=UNTIL - timedelta(days=30))
        revocations.keep_key(actor=cast["reader"], key_id=key.id)


def _archive_dataset(cast: Cast) -> None:
    """A dataset put away with and without a reason, and brought back between."""
    name = "support/archive/rows"
    datasets.save_dataset(actor=cast["author"], name=name, text=ROWS, message="")
    dataset_archive.archive_dataset(actor=cast["admin"], name=name, reason="Nobody\n\nmeasures by it")
    dataset_archive.unarchive_dataset(actor=cast["admin"], name=name)
    dataset_archive.archive_dataset(actor=cast["admin"], name=name)


def _require_two_step() -> None:
    """The rule, set by a command and taken away again."""
    for is_required in (True, False, True):
        rules.set_rules(actor=accounts_actor.build_operator_actor(), namespace="own", two_step_required=is_required)


def _propose_together(actor: Actor, versions: Mapping[str, int], title: str) -> int:
    return release_proposals.propose_release(
        actor=actor,
        namespace="support",
        label="production",
        title=title,
        description="Because\n\n  so",
        selection=ReleaseSelection(versions=versions),
    ).release.number


def _converse(cast: Cast) -> None:
    """A requested review, edited and deleted comments, and decisions that are taken back."""
    author, reviewer, name = cast["author"], cast["reviewer"], "support/talked"
    version = _save(author, name, _greet("Hello"))
    number = change_services.propose_change(
        actor=author, name=name, label="production", version=version.number, message="", reviewers=["reviewer"]
    ).number
    thread = threads.open_thread(actor=reviewer, number=number, place=Place(version=1, line=1), text="Hm @author")
    threads.reply_to_thread(actor=author, number=number, thread=thread.number, text="Why?")
    comment = partial(revisions.edit_comment, actor=reviewer, number=number)
    comment(thread=thread.number, comment=1, text="Promptuary-Chain: z\n\nKäse")
    comment(thread=thread.number, comment=1, text="Better")
    revisions.delete_comment(actor=author, number=number, thread=thread.number, comment=2)
    _decide(reviewer, number, "approve", "Good")
    comment(thread=0, comment=1, text="Very good")
    _decide(reviewer, number, "take_back", "Wait")
    _decide(reviewer, number, "request_changes", "Not yet")
    _decide(reviewer, number, "take_back")
    revisions.delete_comment(actor=reviewer, number=number, thread=0, comment=1)


def _greet(words: str) -> str:
    return f"- name: question\n  role: user\n  content: |\n    {words} {{{{ name }}}}\n"


def _save(actor: Actor, name: str, document: str, base: Version | None = None, **more: Any) -> Version:
    more = {"message": "", "parallel": True, **more}
    return template_save.save_version(
        actor=actor, name=name, document=document, base=base.digest if base else None, **more
    ).version


def _publish(cast: Cast, name: str, version: Version) -> None:
    change = change_services.propose_change(
        actor=cast["author"], name=name, label="production", version=version.number, message=f"Publish {version.number}"
    )
    _approve_and_publish(cast, change)


def _approve_and_publish(cast: Cast, change: ChangeRequest) -> None:
    check_results.run_checks(number=change.number)
    _decide(cast["reviewer"], change.number, "approve")
    change_services.publish_change(actor=cast["author"], number=change.number)


def _decide(actor: Actor, number: int, decision: str, text: str = "") -> None:
    digest = ChangeRequest.objects.get(number=number).version.digest
    decisions.decide_on_change(actor=actor, number=number, decision=decision, digest=digest, text=text)
