"""Refusals by Django before a view or any middleware get a proper response, never a server error."""

import json
import logging

import psycopg
import pytest
from django.core.exceptions import DisallowedHost, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import OperationalError
from django.http import Http404, HttpRequest
from django.test import Client, RequestFactory

from frontend.web import refusals
from registry.core import errors as core_errors
from registry.core import problem_details
from registry.templates.models import Version
from tests.frontend.conftest import REPLY, read_html


def answer_without_database(request):
    """What is answered where the connection to PostgreSQL is lost."""
    try:
        raise OperationalError from psycopg.OperationalError("server closed the connection unexpectedly")
    except OperationalError:
        return refusals.server_error(request)


HANDLERS = {
    "400": (lambda request: refusals.bad_request(request, SuspiciousOperation("odd")), 400),
    "400 host": (lambda request: refusals.bad_request(request, DisallowedHost("evil.example")), 400),
    "403": (lambda request: refusals.forbidden(request, PermissionDenied()), 403),
    "403 csrf": (lambda request: refusals.csrf_failed(request, "no token"), 403),
    "404": (lambda request: refusals.not_found(request, Http404()), 404),
    "405": (lambda request: refusals.method_not_allowed(request, ["GET", "HEAD"]), 405),
    "413": (lambda request: refusals.bad_request(request, RequestDataTooBig("large")), 413),
    "500": (refusals.server_error, 500),
    "503": (answer_without_database, 503),
}


@pytest.fixture(params=HANDLERS)
def handler(request):
    return HANDLERS[request.param]


def _rendered(answer):
    return answer.render() if hasattr(answer, "render") else answer


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_each_handler_answers_a_request_that_met_no_middleware(handler, method):
    handle, status = handler
    answer = _rendered(handle(RequestFactory().generic(method, "/t/support/refunds/reply")))
    assert answer.status_code == status
    assert answer["Content-Type"].startswith("text/html")
    assert answer.content.count(b"<h1") == 1


def test_each_handler_answers_a_request_that_has_nothing_at_all(handler):
    handle, status = handler
    request = HttpRequest()
    request.method = "GET"
    assert _rendered(handle(request)).status_code == status


def test_typed_text_is_shown_again_while_the_database_is_unavailable():
    answer = answer_without_database(RequestFactory().post("/new?from=text", {"document": "Dear <you>"}))
    page = read_html(answer)
    assert "Check whether this was done, and send it again if it wasn&#x27;t." in page
    assert "Dear &lt;you&gt;" in page
    assert 'href="/new?from=text"' in page
    assert answer["Retry-After"] == "1"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n", "multipart/form-data"),  # no boundary
        (b"x" * (2 * 1024 * 1024 + 1), "application/x-www-form-urlencoded"),
        (b"a=1&" * 2000, "application/x-www-form-urlencoded"),
        (b"a=%ff", "application/x-www-form-urlencoded; charset=utf-16"),
    ],
)
def test_each_handler_answers_where_the_body_cannot_be_read(handler, body, kind):
    handle, status = handler
    request = RequestFactory().generic("POST", "/new", body, content_type=kind)
    assert _rendered(handle(request)).status_code == status


def test_below_the_api_each_handler_answers_with_a_problem(handler):
    handle, status = handler
    answer = handle(RequestFactory().get("/api/v1/templates"))
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert json.loads(answer.content)["status"] == status


@pytest.mark.parametrize("address", ["/", "/login", "/t/", f"/t/{REPLY}", "/no/such", "/static/frontend/mark.svg"])
@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "a b", "[::1", "", "x" * 5000, "évil"])
def test_a_wrong_host_is_refused_with_a_page(db, address, host):
    answer = Client().get(address, headers={"host": host})
    assert (answer.status_code, answer["Content-Type"]) == (400, "text/html; charset=utf-8")
    assert "PROMPTUARY_ALLOWED_HOSTS" in read_html(answer)
    assert "X-Request-Id" in answer


@pytest.mark.parametrize("method", ["get", "head", "post", "put", "delete", "options"])
def test_a_wrong_host_is_refused_with_any_method(db, method):
    answer = getattr(Client(enforce_csrf_checks=True), method)("/login", headers={"host": "evil.example"})
    assert answer.status_code == 400


def test_a_wrong_host_with_a_body_that_cannot_be_read_is_refused(db):
    answer = Client().post("/new", b"--x", content_type="multipart/form-data", headers={"host": "evil.example"})
    assert answer.status_code == 400


def test_a_wrong_host_leaves_one_line_in_the_log(db, caplog):
    with caplog.at_level(logging.INFO):
        Client().get("/login", headers={"host": "evil.example"})
    assert [record.getMessage() for record in caplog.records] == ["refused a request for the host 'evil.example'"]
    assert not any(record.exc_info for record in caplog.records)


def test_a_wrong_host_below_the_api_is_a_problem(db):
    for address in ("/api/v1/templates", "/api/v1/templates/a/b@1", "/api/public/v2/prompts/x", "/api/none"):
        answer = Client().get(address, headers={"host": "evil.example", "authorization": "Bearer pb_none"})
        assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json"), address
        assert answer.json()["type"] == "bad-request"


@pytest.mark.parametrize("address", ["/livez", "/readyz"])
def test_probes_by_ip_address_are_answered(transactional_db, settings, tmp_path, address):
    settings.MIRROR_PATH = tmp_path / "mirror.git"
    settings.SECURE_SSL_REDIRECT = True
    for host in ("10.1.2.3", "10.1.2.3:8000", "[fd00::1]:8000", ""):
        answer = Client().get(address, headers={"host": host})
        assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")


def test_a_page_that_is_not_a_form_says_which_methods_it_takes(reply, browser):
    answer = browser("admin").delete(f"/t/{REPLY}")
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert "It takes GET, HEAD." in read_html(answer)
    assert browser("admin").generic("BREW", "/login").status_code == 405
    assert Client(enforce_csrf_checks=True).generic("BREW", "/login").status_code == 403


def test_too_large_a_form_is_refused(reply, browser):
    answer = browser("author").post(
        f"/t/{REPLY}/-/edit", {"document": "x" * (3 * 1024 * 1024)}, content_type="text/plain"
    )
    assert answer.status_code < 500
    form = "document=" + "x" * (3 * 1024 * 1024)
    answer = browser("author").post(f"/t/{REPLY}/-/edit", form, content_type="application/x-www-form-urlencoded")
    assert (answer.status_code, "<h1>Too large</h1>" in read_html(answer)) == (413, True)
    assert Version.objects.filter(template__name=REPLY).count() == 2


@pytest.mark.parametrize(
    "cookie",
    [
        'promptuary-session="abc\\000defghijkl"',
        "promptuary-session=short",
        "promptuary-session=" + "x" * 4000,
        'promptuary-csrf="\\000"; theme="\\012"',
        "=; ;;; promptuary-session; a=b=c",
        "promptuary-session=%00%ff",
    ],
)
def test_bad_cookies_are_as_none(reply, cookie):
    client = Client()
    client.defaults["HTTP_COOKIE"] = cookie
    assert client.get("/t/").status_code == 302
    assert client.get("/login").status_code == 200
    assert client.get("/api/v1/templates").status_code == 401
    assert client.get("/no/such").status_code == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"content-length": "abc"},
        {"content-length": "-5"},
        {"content-length": "9" * 5000},
        {"content-length": "999999"},
        {"content-type": "multipart/form-data"},
        {"content-type": "multipart/form-data; boundary=" + "x" * 300},
        {"content-type": "application/x-www-form-urlencoded; charset=no-such"},
        {"content-type": "application/x-www-form-urlencoded; charset=utf-16"},
        {"content-type": "\x00"},
        {"x-request-id": "\x00"},
        {"hx-request": "true", "hx-target": "\x00"},
        {"accept": "\x00"},
        {"authorization": "Bearer \x00"},
        {"authorization": "Basic \x00"},
        {"authorization": "Bearer pb_" + "x" * 100_000},
        {"if-none-match": "\x00"},
        {"if-match": "\x00"},
    ],
)
@pytest.mark.parametrize("address", ["/login", f"/t/{REPLY}/-/edit", "/api/v1/templates", f"/api/v1/templates/{REPLY}"])
def test_odd_headers_fail_nothing(reply, browser, headers, address):
    client = browser("author")
    names = {name: value for name, value in headers.items() if not name.startswith("content-")}
    meta = {name.upper().replace("-", "_"): value for name, value in headers.items() if name.startswith("content-")}
    for method in ("GET", "HEAD", "POST", "PUT", "BREW"):
        answer = client.generic(method, address, b"document=a%00b&text=%ff", headers=names, **meta)
        assert answer.status_code < 500, (method, answer.content[:300])


@pytest.mark.parametrize("target", ["0", "home", "no-such-page", "9" * 5000, "\ufffd"])
def test_an_invalid_next_address_leads_home(reply, browser, target):
    assert browser("reader").get("/login", {"next": target})["Location"] == "/"
    assert browser("reader").post("/theme", {"theme": "dark", "next": target})["Location"] == "/"


@pytest.mark.parametrize("name", core_errors.__all__)
def test_each_domain_error_is_answered_with_the_status_of_the_api_under_a_heading_of_its_own(name):
    error = getattr(core_errors, name)("A sentence.")
    answer = _rendered(refusals.show_refusal(RequestFactory().get("/t/support/refunds/reply"), error))
    assert answer.status_code == problem_details.describe_error(error).status
    assert f"<h1>{refusals.HEADINGS[type(error)]}</h1>" in read_html(answer)
