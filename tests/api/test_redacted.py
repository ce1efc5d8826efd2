"""A redacted version at every entry point: 410, with the time, the person and the reason."""

import base64

import httpx
import pytest

from promptuary import Gone, Promptuary
from registry.redaction import services as redaction_services
from registry.templates.models import Version
from tests.api.conftest import DOCUMENT, OTHER, REPLY, problem


@pytest.fixture
def digest(cast):
    """Redact version 1, which staging served until then."""
    first = cast.save().version.digest
    cast.save(OTHER, base=first)
    cast.move("staging", 1)
    return first


def redact(cast, number=1):
    redaction_services.redact_version(
        actor=cast.actor("admin"), name=REPLY, version=number, reason="It held a name", force=True
    )


@pytest.mark.parametrize("ref", ["1", "staging", "digest"])
@pytest.mark.parametrize("session", [True, False])
def test_a_fetch_by_number_label_or_digest_answers_gone(cast, caller, digest, ref, session):
    path = f"templates/{REPLY}@{digest if ref == 'digest' else ref}"
    author = caller("author", session=session)
    assert author.get(path).status_code == 200
    redact(cast)
    details = problem(author.get(path, If_None_Match="*"), 410, "gone")
    assert (details["redacted_by"], details["reason"]) == ("admin", "It held a name")
    assert details["redacted_at"].endswith("Z")
    assert "Answer a question" not in author.get(path).content.decode()


def test_a_fetch_of_many_has_it_next_to_what_is_there(cast, caller, digest):
    redact(cast)
    results = caller("author").post("fetch", {"refs": [f"{REPLY}@1", f"{REPLY}@2"]}).json()["results"]
    assert [result["status"] for result in results] == [410, 200]


def test_rendering_a_redacted_version_is_refused(cast, caller, digest):
    redact(cast)
    answer = caller("author").post("render", {"template": REPLY, "ref": "1", "data": {"question": "?"}})
    problem(answer, 410, "gone")


def test_the_history_names_the_redaction(cast, caller, digest):
    redact(cast)
    newest, first = caller("reader").get(f"templates/{REPLY}/-/versions").json()["results"]
    assert newest["redacted"] is None
    assert (first["redacted"]["by"], first["redacted"]["reason"]) == ("admin", "It held a name")


def test_a_label_move_to_a_redacted_version_is_refused(cast, caller, digest):
    redact(cast)
    answer = caller("author").put(f"templates/{REPLY}/-/labels/other", {"version": 1, "expected": None})
    problem(answer, 410, "gone")


def test_an_outsider_learns_nothing(cast, caller, digest):
    redact(cast)
    problem(caller("outsider").get(f"templates/{REPLY}@1"), 404, "not-found")


def test_the_client_raises_an_error_of_its_own(transactional_db, server, cast, digest):
    with Promptuary(server, cast.key(scope="write"), ttl=0, timeout=60) as registry:
        assert registry.get(REPLY, "staging").document.text == DOCUMENT
        redact(cast)
        with pytest.raises(Gone, match="was redacted on") as caught:
            registry.get(REPLY, "staging")
    assert (caught.value.reason, caught.value.redacted_by) == ("It held a name", "admin")


def test_a_langfuse_client_gets_the_same_error(transactional_db, server, cast, digest):
    login = base64.b64encode(f"any:{cast.key(scope='write')}".encode()).decode()
    address = f"{server}/api/public/v2/prompts/{REPLY.replace('/', '%2F')}?version=1"
    headers = {"Authorization": f"Basic {login}"}
    assert httpx.get(address, headers=headers, timeout=60).status_code == 200
    redact(cast)
    answer = httpx.get(address, headers=headers, timeout=60)
    assert (answer.status_code, "was redacted on" in answer.text) == (410, True)


def test_the_rows_are_what_the_tombstone_says(cast, digest):
    redact(cast)
    assert Version.objects.get(number=1).bundle == '{"redacted":true}'
