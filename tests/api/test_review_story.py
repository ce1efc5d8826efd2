"""The whole way of a change over the API: a check fails and is fixed, lines are talked of, a suggestion is applied, the
approval before it has fallen, then it is approved, published, fetched and rolled back, and the mirror holds all of
it."""

import subprocess

import pytest

from registry.changes import check_results
from registry.mirror import writer
from registry.namespaces import services as namespace_services
from registry.serving.fetcher import get_fetcher
from tests.api.conftest import DOCUMENT, REPLY, SAMPLES, problem

PATH = f"templates/{REPLY}"
BLUNT = DOCUMENT.replace('"{{ question }}"', '"Answer at once: {{ question }} {{ order }}"')
BREAKING = BLUNT.replace("inputs:\n", "inputs:\n  order: {type: string}\n")
MENDED = BLUNT.replace("inputs:\n", "inputs:\n  order: {type: string, default: none}\n")
POLITE = '  content: "Please answer: {{ question }} {{ order }}"\n'


@pytest.fixture
def people(cast, caller):
    """Author and service by keys, the reviewers in person: keys never approve. Version 1 is on production, contracts
    are kept.

    The outsider is the second reviewer: the first one makes a suggestion, and the admin issued the author's key.
    """
    namespace_services.set_role(actor=cast.actor("admin"), namespace="support", username="outsider", role="reviewer")
    cast.save(samples=SAMPLES)
    cast.publish(1)
    admin = caller("admin", session=True)
    rules = {"required_checks": ["problems", "samples"], "compatibility": "backward"}
    assert admin.call("PATCH", "namespaces/support", rules).status_code == 200
    reviewers = caller("reviewer", session=True), caller("outsider", session=True)
    return caller("author"), *reviewers, caller("reader")


@pytest.fixture
def mirror(settings, tmp_path):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    return settings.MIRROR_PATH


def test_a_change_goes_all_the_way_and_back_over_the_api(people, mirror):
    author, reviewer, second, service = people
    first = service.get(f"{PATH}@production").json()
    change, digest = _propose_what_breaks(author, first["digest"])
    number, digest = _save_mended(author, change, digest)
    head = _apply_a_suggestion(author, reviewer, change, number, digest)
    approval = {"decision": "approve", "digest": head["digest"]}
    problem(reviewer.post(f"changes/{change}/decisions", approval), 403, "not-allowed")
    _approve_and_publish(author, second, change, head["digest"])
    get_fetcher().follower.mark_due()
    now = service.get(f"{PATH}@production").json()
    assert (now["version"], now["digest"]) == (head["version"], head["digest"])
    assert "Please answer" in now["document"]
    back = {"version": first["version"], "reason": "Customers ask for the old words"}
    assert reviewer.post(f"{PATH}/-/labels/production/roll-back", back).status_code == 200
    get_fetcher().follower.mark_due()
    assert service.get(f"{PATH}@production").json()["digest"] == first["digest"]
    moves = service.get(f"{PATH}/-/labels/production/history").json()["results"]
    assert [move["how"] for move in moves] == ["rolled_back", "published", "published"]
    writer.catch_up()
    assert _run_git(mirror, "show", f"label/production:{REPLY}.yml.j2") == first["document"]
    assert f"{REPLY}: change {change}, approve" in _run_git(mirror, "log", "--format=%s")


def _propose_what_breaks(author, base):
    """Propose a new required input: the contract check fails, and nothing can be published."""
    number, digest = _save(author, BREAKING, base, {"short": {**SAMPLES["short"], "order": "12"}})
    body = {"template": REPLY, "label": "production", "version": number, "message": "Faster"}
    change = author.post("changes", body).json()["number"]
    assert _list_blockers(author, change) == ["contract"]
    problem(author.post(f"changes/{change}/publish"), 403, "approval-required")
    return change, digest


def _save_mended(author, change, base):
    number, digest = _save(author, MENDED, base)
    assert author.post(f"changes/{change}/version", {"version": number}).status_code == 200
    assert _list_blockers(author, change) == []
    return number, digest


def _apply_a_suggestion(author, reviewer, change, number, digest):
    """Talk of a rendered line, suggest another source line; applied, it voids the approval that was there."""
    approval = {"decision": "approve", "digest": digest}
    assert reviewer.post(f"changes/{change}/decisions", approval).status_code == 201
    place = {"version": number, "line": 1, "side": "rendered", "sample": "short", "text": "Too blunt"}
    assert reviewer.post(f"changes/{change}/threads", place).status_code == 201
    line = len(MENDED.splitlines())
    opened = reviewer.post(f"changes/{change}/threads", {"version": number, "line": line, "suggestion": POLITE})
    chosen = {"comments": [{"thread": opened.json()["number"], "comment": 1}]}
    assert author.post(f"changes/{change}/suggestions", chosen).status_code == 200
    assert _list_blockers(author, change) == []
    problem(author.post(f"changes/{change}/publish"), 403, "approval-required")
    problem(reviewer.post(f"changes/{change}/decisions", approval), 409, "conflict")
    return author.get(f"changes/{change}").json()


def _approve_and_publish(author, reviewer, change, digest):
    approval = {"decision": "approve", "digest": digest}
    assert reviewer.post(f"changes/{change}/decisions", approval).status_code == 201
    assert author.post(f"changes/{change}/publish").status_code == 200


def _save(author, document, base, samples=None):
    body = {"document": document, "message": "Ask for speed", **({"samples": samples} if samples else {})}
    answer = author.put(PATH, body, If_Match=f'"{base}"')
    assert answer.status_code == 201, answer.content
    return answer.json()["version"], answer.json()["digest"]


def _list_blockers(author, change):
    check_results.run_checks(number=change)  # what the worker does when it is woken
    return [check["name"] for check in author.get(f"changes/{change}").json()["checks"] if check["blocking"]]


def _run_git(mirror, *arguments):
    run = subprocess.run(["git", "--git-dir", str(mirror), *arguments], capture_output=True, check=True)
    return run.stdout.decode()
