"""GET /api/v1/templates/<name>@<ref>: the same responses through Django and ahead of it."""

import hashlib
from typing import Any

import pytest
import rfc8785

from registry.serving.responses import VersionCache
from registry.serving.version_rows import load_version
from registry.serving.wsgi_fast_path import serve_fetches_first
from tests.api.conftest import OTHER, REPLY, Caller, problem

PATH = f"/api/v1/templates/{REPLY}"


class Ahead:
    """Calls the WSGI wrapper the way a server does; `passed_on` counts what it leaves to Django."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.passed_on = 0

    def __call__(self, path: str, method: str = "GET", **environ: str) -> tuple[str, dict[str, str], bytes]:
        seen: list[Any] = []
        asked = {"PATH_INFO": path, "REQUEST_METHOD": method, "HTTP_HOST": "testserver"}
        full = {**asked, "HTTP_AUTHORIZATION": f"Bearer {self.key}", **environ}
        body = b"".join(
            serve_fetches_first(self._django)(full, lambda line, headers: seen.extend((line, dict(headers))))
        )
        return seen[0], seen[1], body

    def _django(self, environ, start_response):
        self.passed_on += 1
        start_response("299 Django", [])
        return []


@pytest.fixture
def ahead(cast, versions) -> Ahead:
    return Ahead(cast.key(scope="write"))


def test_a_fetch_gives_the_version_whole_and_its_digest_can_be_computed_again(cast, caller, versions):
    body = caller("author").get(f"templates/{REPLY}@2").json()
    covered = {name: body[name] for name in ("engine", "document", "fragments", "profile")}
    assert "sha256:" + hashlib.sha256(rfc8785.dumps(covered)).hexdigest() == body["digest"] == versions[1].digest
    assert (body["name"], body["version"], body["document"], body["settings"]) == (REPLY, 2, OTHER, {})
    assert (body["author"], body["message"]) == ("author", "")
    assert body["created_at"].endswith("Z")


def test_pins_are_immutable_and_labels_are_asked_again(caller, versions):
    author = caller("author")
    digest = versions[1].digest
    for ref in ("2", digest):
        response = author.get(f"templates/{REPLY}@{ref}")
        assert response["ETag"] == f'"{digest}"'
        assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    response = author.get(f"templates/{REPLY}@production")
    assert response["ETag"] == f'"2.{digest}"'
    assert response["Cache-Control"] == "max-age=0, must-revalidate"
    assert "Authorization" in response["Vary"]


def test_a_digest_that_several_numbers_carry_gives_the_lowest(caller, versions):
    assert caller("author").get(f"templates/{REPLY}@{versions[2].digest}").json()["version"] == 1
    assert caller("author").get(f"templates/{REPLY}@3").json()["version"] == 3
    assert caller("author").get(f"templates/{REPLY}@latest").json()["version"] == 3


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
def test_a_matching_etag_is_answered_304_without_a_body(caller, versions, form):
    author = caller("author")
    etag = author.get(f"templates/{REPLY}@production")["ETag"]
    response = author.get(f"templates/{REPLY}@production", If_None_Match=form.format(etag))
    assert (response.status_code, response.content, response["ETag"]) == (304, b"", etag)


def test_a_moved_label_has_another_entity_tag(cast, caller, versions):
    author = caller("author")
    etag = author.get(f"templates/{REPLY}@production")["ETag"]
    cast.publish(3)
    response = author.get(f"templates/{REPLY}@production", If_None_Match=etag)
    assert (response.status_code, response.json()["version"]) == (200, 3)


@pytest.mark.parametrize("ref", ["9", "0", "staging", "sha256:" + "0" * 64, "-1", "Upper", "1.0", "", "99999999999999"])
def test_an_unknown_ref_is_not_found(caller, ahead, ref):
    problem(caller("author").get(f"templates/{REPLY}@{ref}"), 404, "not-found")
    assert ahead(f"{PATH}@{ref}")[0] == "404 Not Found"


def test_ahead_of_django_the_answer_is_the_same(caller, ahead):
    for ref in ("2", "production", "latest"):
        slow = caller("author").get(f"templates/{REPLY}@{ref}")
        line, headers, body = ahead(f"{PATH}@{ref}")
        assert (line, body) == ("200 OK", slow.content)
        assert all(slow[name] == value for name, value in headers.items() if name not in ("Vary", "X-Request-Id"))
    assert ahead.passed_on == 0


def test_a_warm_fetch_asks_the_database_nothing(ahead, django_assert_num_queries):
    ahead(f"{PATH}@2"), ahead(f"{PATH}@production")
    with django_assert_num_queries(0):
        assert ahead(f"{PATH}@2")[0] == "200 OK"
        assert ahead(f"{PATH}@production")[0] == "200 OK"


def test_a_miss_is_one_query_for_the_version(ahead, django_assert_num_queries):
    ahead(f"{PATH}@2")
    with django_assert_num_queries(1):
        assert ahead(f"{PATH}@3")[0] == "200 OK"


def test_head_gives_the_headers_alone(ahead):
    line, headers, body = ahead(f"{PATH}@2", "HEAD")
    assert (line, body) == ("200 OK", b"")
    assert int(headers["Content-Length"]) > 100


@pytest.mark.parametrize(
    ("path", "environ"),
    [
        (f"{PATH}@2", {"REQUEST_METHOD": "PUT"}),
        (f"{PATH}@2", {"HTTP_AUTHORIZATION": "Basic abc"}),
        (PATH, {}),
        ("/login@2", {}),
        (f"{PATH}@é".encode().decode("latin-1"), {}),  # as WSGI hands over UTF-8
        (f"{PATH}@2", {"HTTP_HOST": "evil.example"}),
    ],
)
def test_everything_else_is_left_to_django(ahead, path, environ):
    assert ahead(path, **environ)[0] == "299 Django"


def test_a_label_that_is_not_ascii_is_named_as_it_was_sent(caller, versions):
    assert "é" in caller("author").get(f"templates/{REPLY}@é").json()["detail"]


def test_a_wrong_key_is_refused_ahead_of_django_too(cast, versions):
    for key in ("", "pb_aaaaaaaa_" + "x" * 43, "nonsense", cast.key()[:-1]):
        line, headers, _ = Ahead(key)(f"{PATH}@2")
        assert (line, headers["WWW-Authenticate"]) == ("401 Unauthorized", 'Bearer realm="promptuary"')


def test_a_key_limited_to_approved_versions_is_refused_with_the_reason(cast, versions):
    ahead = Ahead(cast.key(scope="read"))
    line, headers, body = ahead(f"{PATH}@1")
    assert (line, headers["Content-Type"]) == ("403 Forbidden", "application/problem+json")
    assert b"limited to approved versions" in body
    assert ahead(f"{PATH}@2")[0] == "200 OK"
    assert ahead(f"{PATH}@production")[0] == "200 OK"
    assert ahead(f"{PATH}@latest")[0] == "403 Forbidden"


def test_the_cache_stays_within_its_budget(cast, versions):
    memory, version = VersionCache(budget=20_000), load_version(REPLY, "2")
    assert version is not None
    for number in range(1000):
        memory.keep(f"support/t{number}@1", version)
    assert memory.find("support/t999@1") is version
    assert memory.find("support/t1@1") is None


def test_a_signed_in_person_fetches_without_a_key(cast, versions):
    reader = Caller(person=cast.people["reader"])
    assert reader.get(f"templates/{REPLY}@1").json()["version"] == 1
