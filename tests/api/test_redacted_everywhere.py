"""One text, planted by every road there is, then redacted: looked for in every column, Git object, page and API
answer."""

import json
import re
import subprocess

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from registry import mirror
from registry.changes import check_results, review_drafts, threads
from registry.changes import services as change_services
from registry.changes.threads import Place
from registry.evaluations import run_worker, start_runs
from registry.evaluations.models import Run
from registry.improvements.models import Improvement
from registry.notifications.models import Notification
from registry.playground import services as playground_services
from registry.playground.models import PlaygroundColumn
from registry.redaction import services as redaction_services
from registry.redaction.column_contents import Holds
from registry.redaction.text_columns import COLUMNS
from registry.serving.fetcher import get_fetcher
from registry.templates import drafts, labels, presence, sample_renderings, samples
from registry.usage.models import Report
from tests.api.conftest import DOCUMENT, OTHER, REPLY
from tests.people import ROLES

CANARY = "zebra-4711-quagga"
LEAKED = (
    DOCUMENT.replace("Answer a question", f"Answer as {CANARY} would")
    .replace("tags: [support]", f"tags: [support, {CANARY}]\nsettings: {{user: {CANARY}}}\nmodel: some-{CANARY}")
    .replace('"{{ question }}"', f"'{{{{ question }}}} Sign as {CANARY}, please.'")
)
PAGES = 70  # of each role


@pytest.fixture
def planted(cast, settings, tmp_path):
    """Version 2 holds the canary; all that a service can make of it was made, and version 3 is clean again."""
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    author, reviewer = cast.actor("author"), cast.actor("reviewer")
    first = cast.save().version
    leaked = cast.save(LEAKED, base=first.digest).version
    drafts.save_draft(actor=author, namespace="support", path="refunds/reply", document=LEAKED + "\n", base=2)
    drafts.save_draft(actor=reviewer, namespace="support", path="other", document=f"Sign as {CANARY}, please.")
    presence.enter_editor(actor=author, name=REPLY, tab="0" * 32, part=CANARY)
    samples.save_samples(actor=author, name=REPLY, samples={"short": {"question": "Where is it?"}})
    sample_renderings.render_samples(leaked, {"short": {"question": "Where is it?"}})
    labels.move_label(actor=author, name=REPLY, label="staging", version=2, expected=None)
    change = change_services.propose_change(actor=author, name=REPLY, label="production", version=2, message="Please")
    threads.open_thread(actor=reviewer, number=change.number, place=Place(version=2, line=10), text="Why?")
    review_drafts.save_remark(
        actor=reviewer, number=change.number, place=Place(version=2, line=2), text=f"Who is {CANARY}?"
    )
    check_results.run_checks(number=change.number)
    run = start_runs.start_run(actor=author, template=REPLY, ref="2", model="echo")
    while run_worker.advance_run(run.pk, seconds=0):
        pass
    Run.objects.filter(pk=run.pk).update(error=f"stopped at {CANARY}")
    _try_with_model(author)
    _propose_with_model(author, run, leaked)
    Notification.objects.create(
        person=cast.people["reader"],
        kind="version.saved",
        sentence=f"About {CANARY}",
        template=leaked.template,
        created_at=leaked.created_at,
    )
    _report(cast, leaked)
    fetched = get_fetcher().answer(f"Bearer {cast.key('author', 'write')}", f"{REPLY}@2")
    assert CANARY in fetched.body.decode()
    change_services.withdraw_change(actor=author, number=change.number, reason="Not needed")
    third = cast.save(OTHER, base=leaked.digest).version
    labels.move_label(actor=author, name=REPLY, label="staging", version=third.number, expected=2)
    mirror.catch_up()
    return leaked


def _try_with_model(author):
    """Make a playground run whose inputs, prompt and reply contain the canary."""
    inputs = {"question": f"Are you {CANARY}?"}
    run = playground_services.start_playground_run(
        actor=author, name=REPLY, columns=[{"source": "2", "model": "echo"}], inputs=inputs
    )
    texts = {name: f"{name} says {CANARY}" for name in ("reply", "problem")}
    parsed = {name: json.dumps([CANARY]) for name in ("tool_calls", "output")}
    run.columns.update(state=PlaygroundColumn.FAILED, **texts, **parsed)


def _propose_with_model(author, run, version):
    """Make an improvement of the version whose texts contain the canary, and the run of its text."""
    facts = {"template": run.template, "version": version, "samples": run.samples, "total": 1, "model": "echo"}
    facts |= {"rows_digest": run.rows_digest, "model_digest": run.model_digest, "key": "another", "state": "done"}
    facts |= {"is_draft": True, "draft_bundle": json.dumps(CANARY), "started_by": author.person}
    measurement = Run.everything.create(**facts, created_at=run.created_at)
    texts = {name: f"{name} says {CANARY}" for name in ("document", "explanation", "reply", "guidance", "error")}
    lists = {name: json.dumps([CANARY]) for name in ("bundle", "problems_text", "input_changes_text")}
    Improvement.objects.create(
        person=author.person,
        run=run,
        prompt=version,
        measurement=measurement,
        state="measuring",
        model="echo",
        model_digest=run.model_digest,
        created_at=run.created_at,
        **texts,
        **lists,
    )


def _report(cast, version):
    actor = get_fetcher().authenticate(f"Bearer {cast.key('author', 'write')}")
    row = Report(
        key_id=actor.key, version=version, day=version.created_at.date(), last_at=version.created_at, renders=1
    )
    row.inputs = json.dumps({CANARY: 1})
    row.save()


def list_columns_with(text):
    """(table, column) of every column of the database that holds the text."""
    places = set()
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            names = [column[0] for column in cursor.description]
            for row in cursor.fetchall():
                places |= {(table, name) for name, value in zip(names, row, strict=True) if text in str(value)}
    return places


def is_in_git(path, text):
    objects = subprocess.run(
        ["git", "cat-file", "--batch", "--batch-all-objects"], cwd=path, capture_output=True, check=True
    )
    return text.encode() in objects.stdout


def crawl(person):
    """The pages that a person can reach from the home page and the template's, with their texts."""
    browser = Client(raise_request_exception=True)
    browser.force_login(person)
    waiting = [
        "/",
        f"/t/{REPLY}",
        f"/t/{REPLY}?ref=2",
        f"/t/{REPLY}/-/diff?from=1&to=2",
        f"/t/{REPLY}/-/edit",
        "/runs/",
    ]
    waiting += ["/changes/", "/changes/1", "/runs/1", "/runs/1/rows", "/runs/1/rows/0", "/mail", "/t/?q=zebra"]
    waiting += [f"/runs/1/export.{form}" for form in ("jsonl", "json", "csv", "html")]
    pages: dict[str, str] = {}
    while waiting and len(pages) < PAGES:
        address = waiting.pop(0)
        if address in pages or re.match(r"/(log|api|static|theme)", address):
            continue
        answer = browser.get(address)
        pages[address] = b"".join(answer).decode(errors="replace")
        assert answer.status_code < 500, address
        if answer.get("Content-Type", "").startswith("text/html"):
            waiting += [link.replace("&amp;", "&") for link in re.findall(r'href="(/[^"#]*)', pages[address])]
    return pages


API = [
    "templates",
    "templates?search=zebra",
    f"templates/{REPLY}",
    *(f"templates/{REPLY}@{ref}" for ref in ("1", "2", "3", "staging")),
    f"templates/{REPLY}/-/versions",
    f"templates/{REPLY}/-/samples",
    f"templates/{REPLY}/-/labels/staging/history",
    "changes",
    "changes/1",
    "changes/1/threads",
    "runs",
    "runs/1",
    "runs/1/rows",
    *(f"runs/1/export?form={form}" for form in ("jsonl", "json", "csv", "html")),
    "datasets",
    "namespaces/support/bundle?label=staging",
    "namespaces/support/moves",
    "namespaces/support/events",
]


def request_all(caller, role):
    session = caller(role, session=True)
    answers = {path: b"".join(session.get(path)).decode(errors="replace") for path in API}
    answers["fetch"] = session.post("fetch", {"refs": [f"{REPLY}@2", f"{REPLY}@staging"]}).content.decode()
    return answers


def list_addresses_with_canary(texts):
    return sorted(address for address, text in texts.items() if CANARY in text)


REMOVED = {
    (table, column)
    for table, columns in COLUMNS.items()
    for column, what in columns.items()
    if what in (Holds.REMOVED, Holds.BLANKED)
}
# Planted nowhere by this story: another test, or a row's own words, covers them.
NOT_PLANTED = {
    ("registry_version", "problems"),
    ("registry_template", "description"),
    ("registry_tag", "name"),
    ("registry_searchentry", "words"),
    ("registry_searchentry", "facts"),
    ("registry_searchentry", "facets"),
    ("registry_searchcount", "value"),
    ("registry_verdict", "details"),
    ("registry_draft", "samples"),
    ("registry_draft", "message"),
    ("registry_remark", "suggestion"),
    ("registry_runrow", "judgement_text"),
    ("registry_report", "failures"),
    ("registry_job", "error"),
    ("registry_attempt", "said"),
    ("registry_webhook", "pause_reason"),
    ("registry_remote", "error"),
}


@pytest.mark.slow
def test_it_is_in_all_of_them_before_and_in_none_afterwards(cast, caller, planted):
    assert list_columns_with(CANARY) >= REMOVED - NOT_PLANTED
    assert is_in_git(settings.MIRROR_PATH, CANARY)
    assert list_addresses_with_canary(request_all(caller, "reader"))
    redaction_services.redact_version(actor=cast.actor("admin"), name=REPLY, version=2, reason="It names somebody")
    mirror.catch_up()
    get_fetcher().follower.poll()
    places = list_columns_with(CANARY)
    assert places == set()
    assert not is_in_git(settings.MIRROR_PATH, CANARY)
    for role in ROLES:
        assert list_addresses_with_canary(request_all(caller, role)) == []
        assert list_addresses_with_canary(crawl(cast.people[role])) == []


def test_the_latest_goes_from_the_lists_and_the_search_as_well(cast, caller):
    first = cast.save().version
    cast.save(LEAKED, base=first.digest)
    places = {("registry_template", "description"), ("registry_searchentry", "facts"), ("registry_tag", "name")}
    assert places <= list_columns_with(CANARY)
    assert ("registry_searchentry", "words") in list_columns_with("quagga")  # the index is of single words
    redaction_services.redact_version(
        actor=cast.actor("admin"), name=REPLY, version=2, reason="It names somebody", force=True
    )
    assert list_columns_with(CANARY) == list_columns_with("quagga") == set()
    for role in ROLES:
        assert list_addresses_with_canary(request_all(caller, role)) == []
