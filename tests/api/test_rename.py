"""Renaming in the API, and responses to services that use the former name."""

import base64

import pytest
from django.test import Client

from registry.serving.fetcher import get_fetcher
from registry.templates import rename
from registry.usage import recorder
from registry.usage.models import Fetch, Report
from tests.api.conftest import OTHER, REPLY, Caller, problem
from tests.api.test_fetch import Ahead

pytestmark = pytest.mark.dialect

T, ANSWER = f"templates/{REPLY}", "support/answers/reply"
PATH = "/api/v1/templates/"


@pytest.fixture
def key(cast):
    cast.save()
    cast.publish(1)
    recorder.process_counts().forget()
    return cast.key(scope="write")


def rename_reply(cast, name=REPLY, to=ANSWER):
    return rename.rename_template(actor=cast.actor("admin"), name=name, to=to)


def test_an_admin_renames_a_template_and_gets_both_names(cast, caller):
    cast.save()
    admin = caller("admin", session=True)
    given = {"to": ANSWER, "reason": "Clearer"}
    assert admin.post(f"{T}/-/rename", given).json() == {"name": ANSWER, "former_name": REPLY}
    assert admin.get(T).json()["name"] == ANSWER
    refused = problem(admin.post(f"{T}/-/rename", {"to": "support/third"}), 409, "conflict")
    assert refused["renamed_to"] == ANSWER
    fields = problem(admin.post(f"templates/{ANSWER}/-/rename", {"to": "other/reply"}), 422, "invalid")["fields"]
    assert list(fields) == ["to"]
    problem(admin.post("templates/support/none/-/rename", {"to": "support/some"}), 404, "not-found")


def test_an_admin_renames_a_folder(cast, caller):
    cast.save()
    admin = caller("admin", session=True)
    answer = admin.post("folders/support/refunds/-/rename", {"to": "support/answers"})
    assert answer.json() == {"results": [{"name": ANSWER, "former_name": REPLY}]}
    problem(admin.post("folders/support/refunds/-/rename", {"to": "support/answers"}), 404, "not-found")


def test_a_key_never_renames(cast, caller, stored):
    cast.save()
    admin = caller("admin")
    before = stored()
    problem(admin.post(f"{T}/-/rename", {"to": ANSWER}), 403, "not-allowed")
    assert stored() == before


@pytest.mark.parametrize("ref", ["1", "production", "latest"])
def test_a_former_name_answers_the_same_bytes_as_before(cast, key, ref):
    ahead = Ahead(key)
    _, headers, body = ahead(f"{PATH}{REPLY}@{ref}")
    rename_reply(cast)
    get_fetcher().follower.mark_due()
    _, told, again = ahead(f"{PATH}{REPLY}@{ref}")
    assert again == body
    assert {**told, "X-Request-Id": ""} == {**headers, "X-Request-Id": ""}
    assert ahead(f"{PATH}{REPLY}@{ref}", HTTP_IF_NONE_MATCH=headers["ETag"])[0] == "304 Not Modified"
    assert ahead(f"{PATH}{ANSWER}@{ref}")[2] == body.replace(REPLY.encode(), ANSWER.encode(), 1)


def test_a_label_that_moves_later_moves_for_the_former_name_too(cast, key):
    ahead = Ahead(key)
    rename_reply(cast)
    first = ahead(f"{PATH}{REPLY}@production")[1]["ETag"]
    digest = Caller(key=key).get(f"{T}@1").json()["digest"]
    cast.save(OTHER, name=ANSWER, base=digest)
    cast.publish(2, name=ANSWER)
    get_fetcher().follower.mark_due()
    assert ahead(f"{PATH}{REPLY}@production")[1]["ETag"] != first
    assert Caller(key=key).get(f"{T}@production").json()["version"] == 2


def test_a_missing_version_by_the_former_name_names_the_new_one(cast, key):
    rename_reply(cast)
    assert ANSWER in problem(Caller(key=key).get(f"{T}@9"), 404, "not-found")["detail"]


def test_a_fetch_by_a_former_name_is_counted_as_that(cast, key):
    rename_reply(cast)
    caller = Caller(key=key)
    for name in (REPLY, REPLY, ANSWER):
        assert caller.get(f"templates/{name}@production").status_code == 200
    caller.post("fetch", {"refs": [f"{REPLY}@production"]})
    assert recorder.flush_counts()
    assert {row.former_name: row.count for row in Fetch.objects.all()} == {REPLY: 3, "": 1}


def test_reports_by_a_former_name_count(cast, key):
    digest = Caller(key=key).get(f"{T}@1").json()["digest"]
    rename_reply(cast)
    entry = {"digest": digest, "renders": 2, "failures": {}, "tokens": {}, "inputs": {}}
    answer = Caller(key=key).post("reports", {"reports": [{"name": name, **entry} for name in (REPLY, ANSWER)]})
    assert answer.json()["ignored"] == []
    assert Report.objects.get().renders == 4


def test_moves_are_found_by_every_name(cast, key):
    rename_reply(cast)
    moves = "namespaces/support/moves"
    cursor = Caller(key=key).get(moves).json()["cursor"]
    cast.move("staging", 1, name=ANSWER)
    told = Caller(key=key).get(f"{moves}?after={cursor}").json()["moves"]
    assert sorted(move["name"] for move in told) == [ANSWER, REPLY]


def test_a_client_of_langfuse_goes_on_by_the_former_name_and_is_counted(cast, key):
    rename_reply(cast)
    login = base64.b64encode(f"any:{key}".encode()).decode()
    answer = Client().get(f"/api/public/v2/prompts/{REPLY}", HTTP_AUTHORIZATION=f"Basic {login}")
    assert (answer.status_code, answer.json()["name"]) == (200, REPLY)
    assert recorder.flush_counts()
    assert Fetch.objects.get().former_name == REPLY
