"""Tests of failures of model calls in older runs, which hold the operating system's wording."""

import pytest

from registry.evaluations.stored_failures import reword_failure, reword_problem


@pytest.mark.parametrize(
    ("stored", "expected_text"),
    [
        ("[Errno 111] Connection refused", "nothing answers at its address"),
        ("[Errno -3] Temporary failure in name resolution", "the name of its server is not found"),
        ("[Errno 104] Connection reset by peer", "its server closed the connection"),
        ("[Errno 110] Connection timed out", "its server did not answer in time"),
        (
            "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed (_ssl.c:1006)",
            "the certificate of its server is not trusted here",
        ),
        ("[SSL: WRONG_VERSION_NUMBER] wrong version (_ssl.c:1006)", "its server speaks no TLS that is understood here"),
        ("[Errno 113] No route to host", "there is no connection to its server"),
        ("All connection attempts failed", "there is no connection to its server"),
    ],
)
def test_older_wording_is_put_plainly(stored: str, expected_text: str) -> None:
    problem = {"step": "model", "kind": "ModelError", "message": f"gpt can't be reached: {stored}"}
    assert reword_problem(problem) == {**problem, "message": f"gpt can't be reached: {expected_text}"}


def test_other_texts_stay() -> None:
    problem = {"step": "read", "kind": "ReplyError", "message": "the reply says [Errno 111] Connection refused"}
    assert reword_problem(problem) == problem
    assert reword_problem(None) is None
    assert reword_failure("gpt answered 500: out of memory") == "gpt answered 500: out of memory"
