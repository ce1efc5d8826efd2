"""The wire protocol between a client, granian's RSGI interface, and a WSGI application or a live handler."""

import http.client
import json
import socket
import time

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import instances
from tests.support.rsgi_server import serve_rsgi
from tests.support.server_process import wait_until

pytestmark = pytest.mark.slow
VISIBLE = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=20)


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    place = instances.make_instance(tmp_path_factory.mktemp("live") / "home", engine="sqlite")
    with serve_rsgi("tests.support.live_server_driver:application", place.environment()) as port:
        yield port


def ask(port, path, method="GET", headers=None, body=None):
    return httpx.request(method, f"http://127.0.0.1:{port}{path}", headers=headers, content=body, timeout=60)


def send(port, lines, more=b""):
    """Send these bytes unchanged, and return the connection."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + more)
    return connection


def read_states(port):
    return ask(port, "/states").json()


@settings(max_examples=40, deadline=None)
@given(path=st.text(st.characters(exclude_categories=["Cs"]), max_size=30), query=st.binary(max_size=20))
def test_any_path_and_query_arrive_as_they_were_sent(port, path, query):
    quoted = "".join(f"%{byte:02X}" for byte in path.encode())
    sent = "".join(f"%{byte:02x}" for byte in query)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", f"/echo/{quoted}?{sent}")
    environ = json.load(connection.getresponse())
    assert environ["PATH_INFO"].encode("latin-1").decode() == f"/echo/{path}"
    assert environ["QUERY_STRING"] == sent


@settings(max_examples=40, deadline=None)
@given(name=st.from_regex(r"\AX(-[A-Z][a-z0-9]{1,8}){1,3}\Z"), value=VISIBLE, body=st.binary(max_size=200_000))
def test_any_header_and_body_arrive_as_they_were_sent(port, name, value, body):
    environ = ask(port, "/echo", "POST", {name: value, "Content-Type": "application/x-any"}, body).json()
    assert environ["HTTP_" + name.upper().replace("-", "_")] == value
    assert environ["CONTENT_TYPE"] == "application/x-any"
    assert environ["CONTENT_LENGTH"] == str(len(body))
    assert environ["body"].encode("latin-1") == body


def test_a_header_sent_twice_is_joined_and_one_with_an_underscore_is_dropped(port):
    headers = [("X-A", "1"), ("X-A", "2"), ("Cookie", "a=1"), ("Cookie", "b=2"), ("X_Forwarded_For", "9.9.9.9")]
    environ = ask(port, "/echo", headers=headers).json()
    assert (environ["HTTP_X_A"], environ["HTTP_COOKIE"]) == ("1,2", "a=1; b=2")
    assert "HTTP_X_FORWARDED_FOR" not in environ
    assert environ["REMOTE_ADDR"] == "127.0.0.1"


def test_a_response_to_head_has_the_headers_and_no_body(port):
    answer = ask(port, "/echo", "HEAD")
    assert answer.content == b""
    assert int(answer.headers["content-length"]) > 0


def test_a_body_in_pieces_is_complete_and_its_iterable_is_closed(port):
    assert ask(port, "/pieces").text == "first second"
    assert "closed /pieces" in read_states(port)


def test_the_response_to_a_failure_has_no_details(port):
    answer = ask(port, "/broken")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text


def test_a_truncated_response_is_an_error_for_the_client(port):
    with pytest.raises(httpx.RemoteProtocolError):
        ask(port, "/half")


def test_a_disconnected_client_ends_the_response(port):
    with httpx.stream("GET", f"http://127.0.0.1:{port}/endless", timeout=60) as answer:
        next(answer.iter_raw())
    wait_until(lambda: "closed /endless" in read_states(port), 20)


def test_a_truncated_request_body_blocks_no_thread(port):
    for _ in range(6):  # more than there are threads
        send(port, ["POST /echo HTTP/1.1", "Host: a", "Content-Length: 1000"], b"half").close()
    assert ask(port, "/echo").status_code == 200


def test_slow_clients_of_the_live_side_leave_the_threads_to_others(port):
    connections = [send(port, ["GET /live/count HTTP/1.1", "Host: 127.0.0.1"]) for _ in range(20)]
    start = time.monotonic()
    assert ask(port, "/echo").status_code == 200
    assert time.monotonic() - start < 10
    for connection in connections:
        connection.close()


def test_events_have_a_name_an_id_and_one_line_of_data(port):
    with httpx.stream("GET", f"http://127.0.0.1:{port}/live/count", timeout=60) as answer:
        lines = []
        for line in answer.iter_lines():
            lines.append(line)
            if len(lines) == 6:
                break
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert (answer.headers["cache-control"], answer.headers["x-accel-buffering"]) == ("no-store", "no")
    assert lines == [": connected", "", "id: 0", "event: number", 'data: {"text":"line 0\\nand more"}', ""]
    wait_until(lambda: "closed numbers" in read_states(port), 20)


def test_a_route_finds_its_arguments_and_refuses_other_methods(port):
    assert ask(port, "/live/describe/12?a=b").json() == {
        "arguments": {"number": 12},
        "query": {"a": "b"},
        "thread": "in a thread",
        "user": False,
    }
    assert ask(port, "/live/describe/twelve").status_code == 404
    refused = ask(port, "/live/describe/12", "PUT")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, POST")


def test_the_live_side_refuses_unknown_hosts_and_forms_without_a_token(port):
    assert ask(port, "/live/describe/1", headers={"Host": "evil.example"}).status_code == 422
    assert ask(port, "/live/describe/1", "POST", body=b"a=1").status_code == 403
    headers = {"X-CSRFToken": "a" * 32, "Cookie": f"promptuary-csrf={'a' * 32}"}
    assert ask(port, "/live/describe/1", "POST", headers, b"a=1").status_code == 200


def test_a_body_over_the_limit_is_refused(port):
    assert ask(port, "/live/describe/1", "POST", body=b"x" * 3_000_000).status_code == 413


def test_open_streams_do_not_hold_up_the_end(port, tmp_path):
    place = instances.Instance(tmp_path / "home")
    place.home.mkdir()
    with serve_rsgi("tests.support.live_server_driver:application", place.environment()) as other:
        connection = send(other, ["GET /live/count HTTP/1.1", "Host: 127.0.0.1"])
        assert connection.recv(100)
        start = time.monotonic()
    assert time.monotonic() - start < 4.5  # granian would kill it after 5 seconds
    connection.close()
