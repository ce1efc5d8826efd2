"""Redacting a version's text: what is removed, what stays, and what prevents it."""

import json

import pytest
from django.db import DatabaseError, connection, transaction

from promptuary.evaluation import Row
from registry.changes import check_results, threads
from registry.changes import services as change_services
from registry.changes.models import Verdict
from registry.changes.thread_models import Thread
from registry.changes.threads import Place
from registry.connections import queries as connection_queries
from registry.core.errors import ApprovalRequired, Conflict, Gone, Invalid, NotAllowed, NotFound
from registry.evaluations import model_calls, row_calls, run_worker, start_runs
from registry.evaluations.models import Reply, Run, RunRow
from registry.journal.models import Event
from registry.namespaces import services as namespace_services
from registry.notifications.models import Notification
from registry.redaction import services as redaction_services
from registry.templates import drafts, labels, sample_renderings, samples, version_queries
from registry.templates import save as template_save
from registry.templates.events import VersionRedacted
from registry.templates.models import Draft, Redaction, Rendering, Version
from registry.templates.search_models import SearchEntry
from tests.support.recorded_rows import write_or_insert

pytestmark = pytest.mark.dialect

SECRET = "sk-live-4711"
NAME = "support/reply"


@pytest.fixture
def leaked(save):
    """Version 1 is fine, version 2 holds a secret, version 3 is clean again."""

    def write() -> int:
        save("one")
        leaked: Version = save(SECRET)
        save("three")
        return leaked.pk

    return Version.objects.get(pk=write_or_insert("a version with a secret", write))


def redact(actor, number=2, name=NAME, **more):
    return redaction_services.redact_version(actor=actor, name=name, version=number, reason="It held a key", **more)


def everything():
    """Every text of every table, in one."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            found += [str(row) for row in cursor.fetchall()]
    return "\n".join(found)


def test_the_text_is_nowhere_in_the_database_any_more(author, admin, document, leaked):
    drafts.save_draft(actor=author, namespace="support", path="other", document=document(SECRET))
    samples.save_samples(actor=author, name=NAME, samples={"plain": {"question": "Hm?"}})
    sample_renderings.render_samples(leaked, {"plain": {"question": "Hm?"}})
    change = change_services.propose_change(actor=author, name=NAME, label="production", version=2, message="")
    threads.open_thread(actor=author, number=change.number, place=Place(version=2, line=6), text="Look")
    check_results.run_checks(number=change.number)
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    assert f"Answer {SECRET}" in everything()
    redact(admin)
    assert f"Answer {SECRET}" not in everything()
    assert not Draft.objects.exists()
    assert not Rendering.objects.filter(digest=leaked.digest).exists()
    assert Thread.objects.get().quote == ""
    assert {verdict.details for verdict in Verdict.objects.all()} == {"[]"}


def kept_run(author, version, model="other", state=Run.RUNNING, **result):
    rows = samples.save_samples(actor=author, name=NAME, samples={"plain": {"question": "Hm?"}})
    facts = {"template": version.template, "version": version, "samples": rows, "started_by": author.person}
    run = Run.objects.create(**facts, model=model, total=2, state=state, created_at=version.created_at)
    result = {"prompts": [[{"role": "user", "content": f"Answer {SECRET}: Hm?"}]], **result}
    RunRow.objects.create(run=run, index=0, result=json.dumps(result), is_failed=False, created_at=version.created_at)
    return run


def test_runs_forget_what_they_asked_and_keep_what_was_answered(author, admin, leaked):
    run = kept_run(author, leaked, actual={"answer": "Yes"})
    redact(admin)
    assert f"Answer {SECRET}" not in everything()
    assert RunRow.objects.get().actual == {"answer": "Yes"}
    run.refresh_from_db()
    assert (run.state, run.finished_at is None) == (Run.CANCELLED, False)


def test_an_answer_that_repeats_the_text_goes_and_one_next_to_it_stays(author, admin, leaked):
    kept_run(author, leaked, actual={"answer": f"You said {SECRET}", "tokens": 3, "more": ["Fine"]}, replies=["Fine"])
    redact(admin)
    assert SECRET not in RunRow.objects.get().result
    assert RunRow.objects.get().actual == {"answer": "[redacted]", "tokens": 3, "more": ["Fine"]}


def test_a_run_of_another_template_that_repeats_it_is_cleaned_too(author, admin, leaked, save):
    other = save("clean", name="support/other")
    kept_run(author, other, state=Run.DONE, prompts=[[{"content": f'He wrote "Answer {SECRET}: x" \u00e4'}]])
    redact(admin)
    assert SECRET not in RunRow.objects.get().result


def test_nothing_of_what_the_echo_said_stays(author, admin, leaked):
    problem = {"step": "read", "kind": "OutputError", "message": "no JSON in: Hm?"}
    said = {
        "actual": {"reply": "short", "answer": "short"},
        "replies": ["short"],
        "faults": ["short"],
        "problem": problem,
    }
    kept_run(author, leaked, model="echo", state=Run.DONE, **said)
    redact(admin)
    row = RunRow.objects.get()
    assert row.actual == {"reply": "[redacted]", "answer": "[redacted]"}
    assert row.problem == {**problem, "message": "[redacted]"}
    assert "short" not in row.result


def test_replies_that_arrive_after_the_redaction_are_not_kept(author, admin, leaked):
    run = kept_run(author, leaked)
    RunRow.objects.all().delete()
    endpoint = connection_queries.find_endpoint("echo", "support")
    batch = [row_calls.RowCall(0, Row({"question": "Hm?"}))]
    bundle = leaked.unpacked()
    redact(admin)
    model_calls.ask_model(run, bundle, endpoint, endpoint.open(), batch)
    run_worker._keep(run, endpoint, batch)
    assert batch[0].replies
    assert (RunRow.objects.count(), Reply.objects.count()) == (0, 0)


def test_a_run_of_it_is_not_run_again(author, admin, leaked):
    run = kept_run(author, leaked)
    redact(admin)
    with pytest.raises(Gone):
        start_runs.rerun_failures(actor=author, number=run.pk)


def test_a_draft_for_another_path_that_repeats_it_goes_and_others_stay(author, reviewer, admin, document, leaked):
    drafts.save_draft(actor=author, namespace="support", path="other", document=f"half written: {SECRET} and more")
    drafts.save_draft(actor=author, namespace="support", path="third", document=document("three"))
    redact(admin)
    assert [draft.path for draft in Draft.objects.all()] == ["third"]


def test_remaining_copies_of_the_text_are_named(author, reviewer, admin, document, leaked):
    change = change_services.propose_change(
        actor=author, name=NAME, label="production", version=2, message=f"Uses {SECRET} now"
    )
    threads.open_thread(actor=reviewer, number=change.number, place=Place(version=2, line=6), text=f"Why {SECRET}?")
    threads.open_thread(actor=reviewer, number=change.number, place=Place(version=2, line=6), text="And this?")
    samples.save_samples(actor=author, name=NAME, samples={"plain": {"question": f'What is "{SECRET}"?'}})
    plan = redaction_services.plan_redaction(actor=admin, name=NAME, version=2)
    said = "\n".join(plan.repeated)
    assert f"the message of change {change.number}" in said
    assert f"comment 1 of thread 1 in change {change.number}" in said
    assert "thread 2" not in said
    assert "samples 1 of support/reply" in said
    assert "of the journal (change.proposed)" in said
    assert SECRET not in said


def test_text_common_to_all_documents_is_no_passage(admin, leaked):
    passages = redaction_services.plan_redaction(actor=admin, name=NAME, version=2).passages
    assert passages == ("Answer sk-live-4711:", "sk-live-4711")


def test_the_error_for_a_redacted_version_says_when_by_whom_and_why(admin, leaked):
    redact(admin)
    version = version_queries.get_version(admin, NAME, 2)
    with pytest.raises(Gone, match=r"support/reply@2 was redacted on 20.* by admin: It held a key") as caught:
        assert version.document
    assert caught.value.facts["redacted_by"] == "admin"
    assert caught.value.facts["reason"] == "It held a key"


def test_number_digest_and_history_stay(admin, leaked):
    redact(admin)
    entries = version_queries.list_versions(admin, NAME).items
    assert [(entry.version.number, entry.version.digest) for entry in entries][1] == (2, leaked.digest)


def test_the_event_names_the_digest_and_the_reason(admin, leaked):
    redact(admin)
    event = Event.objects.get(kind=VersionRedacted.kind)
    body = {"template": NAME, "version": 2, "digest": leaked.digest, "reason": "It held a key"}
    assert json.loads(event.text)["body"] == body
    assert (event.template, event.version) == (NAME, 2)


def test_authors_and_admins_hear_of_it(admin, leaked):
    redact(admin)
    assert Notification.objects.get().sentence == "admin redacted support/reply v2: It held a key"


@pytest.mark.parametrize("role", ["author", "reviewer", "reader"])
def test_only_an_admin_may(request, leaked, role):
    with pytest.raises(NotAllowed, match="the role admin to redact versions in support"):
        redact(request.getfixturevalue(role))


def test_an_outsider_finds_nothing(outsider, leaked):
    with pytest.raises(NotFound):
        redact(outsider)


def test_the_operator_may(operator, leaked):
    redact(operator)
    assert Redaction.objects.get().person.username == "operator"


def test_a_reason_is_asked_for(admin, leaked):
    with pytest.raises(Invalid, match="why"):
        redaction_services.redact_version(actor=admin, name=NAME, version=2, reason=" ")


def test_a_version_is_redacted_once(admin, leaked):
    redact(admin)
    with pytest.raises(Gone):
        redact(admin)


def test_a_missing_version_is_not_found(admin, leaked):
    with pytest.raises(NotFound, match="no version 9"):
        redact(admin, 9)


def test_redacting_a_served_version_is_refused_and_the_labels_are_named(author, admin, leaked):
    labels.move_label(actor=author, name=NAME, label="staging", version=2, expected=None)
    with pytest.raises(Conflict, match="staging of support/reply points to version 2"):
        redact(admin)
    redact(admin, force=True)
    assert version_queries.resolve_version(admin, NAME, "staging").is_redacted


def test_the_latest_is_refused_unless_forced_and_then_nothing_of_it_can_be_searched(admin, leaked):
    with pytest.raises(Conflict, match="latest of support/reply"):
        redact(admin, 3)
    redact(admin, 3, force=True)
    assert "three" not in SearchEntry.objects.get(name=NAME).words.split()


def test_a_pending_request_for_it_is_named(author, admin, leaked):
    change = change_services.propose_change(actor=author, name=NAME, label="production", version=2, message="")
    with pytest.raises(Conflict, match=f"change {change.number} proposes"):
        redact(admin)


def test_no_label_moves_to_it_and_no_request_proposes_it(author, admin, leaked):
    redact(admin)
    with pytest.raises(Gone):
        labels.move_label(actor=author, name=NAME, label="staging", version=2, expected=None)
    with pytest.raises(Gone):
        change_services.propose_change(actor=author, name=NAME, label="production", version=2, message="")


def test_a_label_does_not_roll_back_to_it(author, reviewer, admin, leaked):
    labels.move_label(actor=author, name=NAME, label="staging", version=2, expected=None)
    labels.move_label(actor=author, name=NAME, label="staging", version=3, expected=2)
    redact(admin)
    with pytest.raises((Gone, ApprovalRequired)):
        labels.roll_back_label(actor=reviewer, name=NAME, label="staging", version=2, reason="Back")


def test_the_same_text_is_not_saved_again(admin, leaked, save):
    redact(admin)
    with pytest.raises(Gone):
        save(SECRET)


def test_the_next_version_is_saved_on_a_redacted_latest(admin, leaked, save):
    redact(admin, 3, force=True)
    assert save("four").number == 4


def fragment_of(author, ref="support/policy@1"):
    document = f'- name: a\n  content: |\n    {{{{ fragment("{ref}") }}}}\n'
    return template_save.save_version(actor=author, name="support/includes", document=document, message="").version


@pytest.fixture
def policy(author):
    document = "---\nformat: text\n---\nOur key is sk-live-4711\n"
    first = template_save.save_version(actor=author, name="support/policy", document=document, message="").version
    clean = "---\nformat: text\n---\nNo key\n"
    template_save.save_version(actor=author, name="support/policy", document=clean, message="", base=first.digest)
    return first


def test_a_fragment_s_dependants_are_named_and_go_with_it_everywhere(author, admin, policy):
    including = fragment_of(author)
    with pytest.raises(Conflict, match="support/includes@1"):
        redact(admin, 1, "support/policy")
    gone = redact(admin, 1, "support/policy", everywhere=True, force=True)
    assert [row.pk for row in gone.versions] == [policy.pk, including.pk]
    assert "sk-live-4711" not in everything()


def test_a_redacted_fragment_is_not_included_any_more(author, admin, policy):
    redact(admin, 1, "support/policy")
    with pytest.raises((Invalid, Gone)):
        fragment_of(author)


def test_a_copy_in_another_namespace_takes_the_right_there(operator, author, admin, policy):
    namespace_services.create_namespace(actor=operator, name="sales")
    namespace_services.set_role(actor=operator, namespace="sales", username="author", role="author")
    document = policy.document
    template_save.save_version(actor=author, name="sales/policy", document=document, message="")
    with pytest.raises(Conflict, match="1 in namespaces that you can't read"):
        redact(admin, 1, "support/policy")
    with pytest.raises(NotAllowed, match="operator"):
        redact(admin, 1, "support/policy", everywhere=True, force=True)
    assert len(redact(operator, 1, "support/policy", everywhere=True, force=True).versions) == 2


def test_a_plan_says_what_would_go_and_takes_nothing(author, admin, leaked):
    labels.move_label(actor=author, name=NAME, label="staging", version=2, expected=None)
    plan = redaction_services.plan_redaction(actor=admin, name=NAME, version=2)
    assert [row.number for row in plan.versions] == [2]
    assert plan.uses == ("staging of support/reply points to version 2",)
    assert SECRET in Version.objects.get(pk=leaked.pk).document


@pytest.mark.parametrize(
    "change",
    [
        {"bundle": "{}"},
        {"bundle": '{"redacted":true}', "settings": '{"a":1}'},
        {"bundle": '{"redacted":true}', "settings": "{}", "problems": "[]", "message": "Other"},
        {"bundle": '{"redacted":true}', "settings": "{}", "problems": "[]", "digest": "sha256:0"},
    ],
)
def test_the_database_lets_nothing_through_but_the_tombstone(admin, leaked, change):
    Redaction.objects.create(version=leaked, reason="x", person=admin.person, created_at=leaked.created_at)
    with pytest.raises(DatabaseError, match="for ever"), transaction.atomic():
        Version.objects.filter(pk=leaked.pk).update(**change)


def test_without_a_redaction_not_even_the_tombstone_passes(leaked):
    tombstone = {"bundle": '{"redacted":true}', "settings": "{}", "problems": "[]"}
    with pytest.raises(DatabaseError, match="for ever"), transaction.atomic():
        Version.objects.filter(pk=leaked.pk).update(**tombstone)


def test_a_redaction_is_kept_for_ever(admin, leaked):
    redact(admin)
    with pytest.raises(DatabaseError, match="for ever"), transaction.atomic():
        Redaction.objects.update(reason="Nothing")
