"""Keys that may fetch some versions only: no call of the API, and none of Langfuse's, tells them text of another
version.

An unapproved version, and all that is about it, holds one strange word wherever people write; the word is looked for in
every answer that a limited key gets.
"""

import base64
import json
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from django.db import transaction
from django.test import Client

from registry.changes import decisions, threads
from registry.changes import services as change_services
from registry.changes.threads import Place
from registry.connections import services as connection_services
from registry.evaluations import attachments, datasets, person_scores, run_worker, start_runs
from registry.freezes import services as freeze_services
from registry.invitations import services as invitation_services
from registry.namespaces import groups as group_services
from registry.namespaces import keys
from registry.releases import comments as release_comments
from registry.releases import proposals
from registry.releases.plans import ReleaseSelection
from registry.rollouts import services as rollout_services
from registry.serving.fetcher import get_fetcher
from registry.templates import save as template_save
from registry.webhooks import services as webhook_services
from tests.api.conftest import REPLY, Caller, problem
from tests.api.test_permissions import TABLE
from tests.support.asked_improvements import write_improvements
from tests.support.recorded_rows import write_or_insert
from tests.support.sessions import manage_accounts, open_session

STRANGE = "zqxvanadium"
APPROVED = """---
description: Answer a question kindly
tags: [support]
settings: {temperature: 0}
inputs:
  question: {type: string, maxLength: 100}
---
- name: question
  content: "Kindly: {{ question }}"
"""
DRAFT = f"""---
description: Answer a question {STRANGE}
tags: [support, {STRANGE}]
settings: {{temperature: 1, note: {STRANGE}}}
inputs:
  question: {{type: string, maxLength: 100}}
---
- name: question
  content: "{STRANGE}: {{{{ question }}}}"
"""
LATEST = DRAFT.replace("maxLength: 100", "maxLength: 90")
T = f"templates/{REPLY}"
LIMITS: dict[str, dict[str, Any]] = {
    "reads where a label is protected": {"scope": "read"},
    "approved versions only": {"scope": "write", "approved_only": True},
    "a label, reading": {"scope": "read", "labels": ["production"], "approved_only": False},
    "a label, writing": {"scope": "write", "labels": ["production", "staging"]},
    "verbs and approved versions": {"verbs": ["read", "check", "fetch", "publish", "propose"], "approved_only": True},
    "nothing but fetching": {"verbs": ["fetch"]},
}


@pytest.fixture
def world(cast, settings):
    """Version 1 on production and staging, version 2 strange and on canary; requests in each state, runs, a dataset."""
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    numbers = write_or_insert("world of limited keys", lambda: _write_world(cast))
    get_fetcher().clear()
    manage_accounts(cast.people["admin"])
    return {
        **numbers,
        "session": open_session(cast.people["admin"]).pk,
        "seal": "none",
        "group_seal": "none",
    }  # no key does it


def _write_world(cast):
    first = cast.save(APPROVED).version
    cast.publish(1)
    cast.move("staging", 1)
    samples = {STRANGE: {"question": STRANGE}}
    author, reviewer = cast.actor("author"), cast.actor("reviewer")
    save = partial(template_save.save_version, actor=author, message=STRANGE, samples=samples)
    save(name=REPLY, document=DRAFT, base=first.digest)
    cast.move("canary", 2)
    latest = save(name=REPLY, document=LATEST, base=first.digest, parallel=True).version
    numbers = {"beside": cast.propose(3).number, "digest": first.digest, "strange": latest.digest}
    for state in ("open", "approved", "withdrawn"):
        name = f"support/{state}"
        base = cast.save(APPROVED, name=name).version
        save(name=name, document=DRAFT, base=base.digest)
        change = change_services.propose_change(
            actor=author, name=name, label="production", version=1 if state == "approved" else 2, message=STRANGE
        )
        numbers[state] = change.number
    decisions.decide_on_change(
        actor=reviewer, number=numbers["approved"], decision="approve", digest=base.digest, text=STRANGE
    )
    change_services.withdraw_change(actor=author, number=numbers["withdrawn"], reason=STRANGE)
    place = Place(version=2, line=2)
    suggestion = f"description: {STRANGE}\n"
    threads.open_thread(actor=reviewer, number=numbers["open"], place=place, text=STRANGE, suggestion=suggestion)
    rows = json.dumps({"inputs": {"question": STRANGE}, "expected": STRANGE}) + "\n"
    datasets.save_dataset(actor=author, name="support/questions", text=rows, message=STRANGE)
    measure: dict[str, Any] = {"dataset": "support/questions", "model": "echo", "gates": ["squad_f1 >= 0"]}
    attachments.attach_evaluation(
        actor=cast.actor("admin"), namespace="support", name="old", pattern="nothing", **measure
    )
    start = partial(start_runs.start_run, actor=author, template=REPLY, ref="2", dataset="support/questions")
    done, waiting, cancelled = start(), start(), start()
    run_worker.advance_run(done.pk)
    start_runs.cancel_run(actor=author, number=cancelled.pk)
    person_scores.set_score(actor=reviewer, number=done.pk, index=0, score="4", comment=STRANGE)
    numbers |= {"done": done.pk, "waiting": waiting.pk, "cancelled": cancelled.pk}
    made = webhook_services.create_webhook(actor=cast.actor("admin"), namespace="support", url="http://127.0.0.1:9/")
    issued = keys.issue_key(actor=cast.actor("admin"), namespace="support", name="spare", scope="read", person="reader")
    connection = connection_services.create_connection(
        actor=cast.actor("admin"), namespace="support", name="small", base_url="http://127.0.0.1:9/v1", model="small-1"
    )
    invited = invitation_services.invite_person(actor=cast.actor("admin"), namespace="support", role="reader")
    ids = {
        "webhook": made.webhook.id,
        "key": issued.key.id,
        "connection": connection.id,
        "invitation": invited.invitation.id,
    }
    group_services.make_group(actor=cast.actor("admin"), namespace="support", title="Legal")
    group_services.add_to_group(actor=cast.actor("admin"), namespace="support", name="legal", username="reader")
    freeze = freeze_services.set_freeze(
        actor=cast.actor("admin"),
        namespace="support",
        repeat="once",
        starts="2100-01-01T00:00",
        ends="2100-01-02T00:00",
        reason="New year",
    )
    ids["freeze"] = str(freeze.number)
    numbers |= (
        ids | write_improvements(author, REPLY, DRAFT) | {"emergency": numbers["open"], "broken": numbers["open"]}
    )
    return numbers | _write_release(cast) | _write_rollout(cast)


def _write_release(cast) -> dict[str, int]:
    """Write a release of two templates whose versions, title, description and comments contain the canary word."""
    names = ["support/together1", "support/together2"]
    for name in names:
        cast.save(DRAFT, name=name, base=cast.save(APPROVED, name=name).version.digest)
    release = proposals.propose_release(
        actor=cast.actor("author"),
        namespace="support",
        label="production",
        title=STRANGE,
        description=STRANGE,
        selection=ReleaseSelection(versions=dict.fromkeys(names, 2)),
    ).release
    release_comments.comment_on_release(actor=cast.actor("author"), number=release.number, text=STRANGE)
    numbers = dict.fromkeys(("release", "release_approved", "release_live"), release.number)
    return {**numbers, "member": min(release.members.values_list("number", flat=True))}


def _write_rollout(cast) -> dict[str, int]:
    """A rollout of an approved version without the strange word, paused with it as the reason."""
    name = "support/gradual"
    text = "- name: question\n  content: Hello\n"
    cast.save(text.replace("Hello", "Hi"), name=name, base=cast.save(text, name=name).version.digest)
    cast.publish(1, name=name)
    change = cast.propose(2, name=name)
    decisions.decide_on_change(
        actor=cast.actor("reviewer"), number=change.number, decision="approve", digest=change.version.digest
    )
    rollout = rollout_services.start_rollout(actor=cast.actor("author"), change=change.number)
    rollout_services.pause_rollout(actor=cast.actor("author"), number=rollout.number, reason=STRANGE)
    return {"ready": change.number, "rollout": rollout.number, "rollout_paused": rollout.number}


def calls(world):
    """Every call there is, as the table of permissions has it, and further ways to ask for the strange version."""
    for (route, method), (path, body, _) in TABLE.items():
        sent = {**body, "digest": world["digest"]} if body and "digest" in body else body
        yield f"{route} {method}", method, path.format(**world), sent
    for ref in ("2", "latest", "canary", "1", "production"):
        yield f"fetch {ref}", "GET", f"{T}@{ref}", None
        yield f"many {ref}", "POST", "fetch", {"refs": [f"{REPLY}@{ref}"]}
        yield f"render {ref}", "POST", "render", {"template": REPLY, "ref": ref, "data": {"question": "Why?"}}
        yield f"run {ref}", "POST", "runs", {"template": REPLY, "ref": ref, "dataset": "support/questions"}
    for label in ("production", "canary", "latest"):
        yield f"bundle {label}", "GET", f"namespaces/support/bundle?label={label}", None
        yield f"history {label}", "GET", f"{T}/-/labels/{label}/history", None
    pinned = APPROVED.replace("Kindly", "{{ fragment('support/open@2') }}")
    yield "fragment in check", "POST", "check", {"document": pinned}
    yield "fragment in render", "POST", "render", {"document": pinned, "data": {"question": "Why?"}}
    for needed in ("maxLength: 100}", "maxLength: 3}"):
        text = APPROVED.replace("maxLength: 100}", needed)
        for match in (world["digest"], world["strange"]):
            yield f"save {needed} {match}", "PUT", T, {"document": text, "message": ""}, {"If_Match": f'"{match}"'}
    yield "save samples", "PUT", f"{T}/-/samples", {"samples": {"own": {"quest": "Why?"}}}
    yield "save rows", "PUT", "datasets/support/mine", {"rows": [{"inputs": {}}], "template": REPLY}
    yield "fragment in save", "PUT", "templates/support/pinned", {"document": pinned, "message": ""}
    for number in (world["open"], world["beside"], world["approved"]):
        for act in ("publish", "merge", "checks", "version", "withdraw", "suggestions", "decisions"):
            body = {"version": {"version": 2}, "withdraw": {"reason": "No"}}.get(act, {})
            yield f"{act} {number}", "POST", f"changes/{number}/{act}", body
        yield f"threads {number}", "GET", f"changes/{number}/threads", None
        yield f"merged {number}", "GET", f"changes/{number}/merge", None
    for query in ("state=pending", "template=support/open", "namespace=support"):
        yield f"changes {query}", "GET", f"changes?{query}", None
    for name in ("open", "approved", "withdrawn"):
        yield f"template {name}", "GET", f"templates/support/{name}", None
        yield f"versions {name}", "GET", f"templates/support/{name}/-/versions", None
    yield "export", "GET", "namespaces/support/events/export?format=jsonl", None
    yield "report", "GET", f"runs/{world['done']}/export?form=html", None


@pytest.mark.slow
@pytest.mark.parametrize("limit", LIMITS)
def test_no_call_reveals_unreadable_versions_to_a_limited_key(cast, world, limit):
    caller = Caller(key=cast.key("author", **{"scope": "", **LIMITS[limit]}))
    leaking, failed = [], []
    for name, method, path, body, *headers in calls(world):
        with transaction.atomic():
            answer = caller.call(method, path, body, **(headers[0] if headers else {}))
            content = b"".join(answer)
            transaction.set_rollback(True)
        get_fetcher().clear()
        if STRANGE.encode() in content:
            leaking.append(name)
        if answer.status_code >= 500:
            failed.append(name)
    assert (leaking, failed) == ([], [])


def test_a_key_without_limits_reads_everything(cast, world):
    caller = Caller(key=cast.key("author", "write"))
    answered = {name for name, method, path, *_ in calls(world) if method == "GET" and has_it(caller, path)}
    assert answered >= {"api-templates GET", "api-threads GET", "api-change GET", "api-run-rows GET", "api-events GET"}
    assert answered >= {"api-releases GET", "api-release GET", "api-rollout GET"}
    assert answered >= {"api-dataset-rows GET", "api-samples GET", "api-template GET", "api-versions GET", "fetch 2"}


def has_it(caller, path):
    answer = caller.get(path)
    return STRANGE.encode() in b"".join(answer)


@pytest.mark.parametrize("limit", list(LIMITS)[:5])
def test_the_search_answers_the_strange_word_as_it_answers_nonsense(cast, world, limit):
    caller = Caller(key=cast.key("author", **{"scope": "", **LIMITS[limit]}))
    for query in ("search={}", "tag={}", "search=reply {}", "search={}&label=production"):
        words = (STRANGE, STRANGE[:5], "nonsense")
        contents = [caller.get("templates?" + quote(query.format(word), safe="=&")).content for word in words]
        assert contents[0] == contents[1] == contents[2]
        assert json.loads(contents[0])["results"] == []


def test_search_finds_names_and_served_texts(cast, world):
    caller = Caller(key=cast.key("author", "read"))
    for query in ("search=kindly", "search=KINDLY question", "tag=support", "search=refunds"):
        results = caller.get("templates?" + quote(query, safe="=&")).json()["results"]
        assert [row["name"] for row in results] == [REPLY]


def test_a_template_is_described_as_its_label_serves_it(cast, world):
    caller = Caller(key=cast.key("author", "read"))
    body = caller.get(T).json()
    assert (body["description"], body["tags"]) == ("Answer a question kindly", ["support"])
    assert body["latest"] == {"version": 1, "digest": world["digest"]}
    assert [row["version"] for row in caller.get(f"{T}/-/versions").json()["results"]] == [1]


def test_a_template_that_nothing_serves_is_a_name(cast, world):
    body = Caller(key=cast.key("author", "read")).get("templates/support/open").json()
    assert (body["description"], body["tags"], body["latest"], body["labels"]) == ("", [], None, {})


def test_the_history_holds_what_was_approved_but_is_served_no_more(cast, world):
    cast.save(
        APPROVED.replace("kindly", "briefly"), base=cast.save(DRAFT, parallel=True, base=world["digest"]).version.digest
    )
    caller = Caller(key=cast.key("author", "read"))
    newest = Caller(key=cast.key("author", "write")).get(T).json()["latest"]["version"]
    cast.publish(newest)
    assert [row["version"] for row in caller.get(f"{T}/-/versions").json()["results"]] == [newest, 1]
    assert caller.get(T).json()["description"] == "Answer a question briefly"


def test_a_refusal_names_the_limits_of_the_key(cast, world):
    details = problem(Caller(key=cast.key("author", "read")).get("changes"), 403, "not-allowed")
    assert "is limited to approved versions, and this shows text of other versions too" in details["detail"]
    details = problem(Caller(key=cast.key("author", "read", labels=["staging"])).get("runs"), 403, "not-allowed")
    assert "is limited to what staging serves" in details["detail"]


def test_a_limited_key_publishes_and_reads_no_text_in_the_answer(cast, world):
    caller = Caller(key=cast.key("author", "write", labels=["production"]))
    answer = caller.post(f"changes/{world['approved']}/publish")
    assert (answer.status_code, answer.json()["state"], answer.json()["message"]) == (200, "published", "")


@pytest.mark.parametrize("limit", list(LIMITS))
def test_langfuse_endpoints_reveal_no_more(cast, world, limit):
    secret = cast.key("author", **{"scope": "", **LIMITS[limit]})
    sent = {"Authorization": "Basic " + base64.b64encode(f"pk:{secret}".encode()).decode()}
    client = Client(headers=sent)
    name = quote(REPLY, safe="")
    paths = ["v2/prompts", f"v2/prompts?tag={STRANGE}", "v2/prompts?label=canary", "v2/prompts?limit=1&page=2"]
    paths += [
        f"v2/prompts/{name}{query}" for query in ("", "?version=2", "?label=canary", "?label=latest", "?version=1")
    ]
    answers = {path: client.get("/api/public/" + path) for path in paths}
    assert [path for path, answer in answers.items() if STRANGE.encode() in answer.content.replace(b"%", b"")] == []
    listed = answers["v2/prompts"]
    if limit != "nothing but fetching":
        row = next(row for row in listed.json()["data"] if row["name"] == REPLY)
        assert (row["versions"], row["tags"], row["lastConfig"]) == ([1], ["support"], {"temperature": 0})
        assert answers[f"v2/prompts?tag={STRANGE}"].json()["data"] == []


def test_a_key_limited_to_labels_saves_and_learns_nothing_of_the_samples_and_messages_there_are(cast, world):
    caller = Caller(key=cast.key("author", "write", labels=["staging"]))
    current = {"If_Match": f'"{world["strange"]}"'}
    body = {"document": APPROVED.replace("maxLength: 100", "maxLength: 3"), "message": "Short"}
    details = problem(caller.put(T, body, **current), 422, "invalid")
    assert [one["message"] for one in details["problems"]] == [
        "a sample kept beside the template does not fit; a person who signs in sees which"
    ]
    again = caller.put(T, {"document": LATEST, "message": "Mine"}, **current)
    assert (again.status_code, again.json()["message"]) == (200, "")
    assert caller.put(T, {"document": APPROVED, "message": "Back"}, **current).status_code == 201
