"""X-Request-Id: the caller's own or a new one, in the response and in the log."""

import logging

import pytest

from registry.core import tracing
from registry.serving.wsgi_fast_path import choose_request_id


def test_the_callers_request_id_is_returned(client):
    assert client.get("/livez", headers={"X-Request-Id": "trace-7.a"})["X-Request-Id"] == "trace-7.a"


@pytest.mark.parametrize("sent", ["", "two words", "a\r\nSet-Cookie: b", "x" * 200, "né"])
def test_something_that_is_not_an_id_is_replaced(sent):
    assert choose_request_id(sent) != sent


def test_no_two_requests_share_a_fresh_one(client):
    first, second = (client.get("/livez")["X-Request-Id"] for _ in range(2))
    assert first != second


def test_each_line_of_the_log_names_its_request():
    record = logging.LogRecord("a", logging.INFO, "", 1, "message", (), None)
    token = tracing.current_request_id.set("abc")
    tracing.RequestIdFilter().filter(record)
    tracing.current_request_id.reset(token)
    assert vars(record)["request_id"] == "abc"
