"""Failures of model calls as they are shown: older runs hold the operating system's wording, which is put plainly."""

import re
from collections.abc import Mapping

__all__ = ["reword_failure", "reword_problem"]

_SENTENCES = {  # what follows the model's name, by the pattern of the older wording
    r"\[Errno -\d+\][^;]*": "the name of its server is not found",
    r"\[Errno 111\] Connection refused": "nothing answers at its address",
    r"\[Errno (?:32|103|104)\][^;]*": "its server closed the connection",
    r"\[Errno 110\][^;]*": "its server did not answer in time",
    r"\[SSL: CERTIFICATE_VERIFY_FAILED\][^;]*": "the certificate of its server is not trusted here",
    r"\[SSL[^]]*\][^;]*": "its server speaks no TLS that is understood here",
    r"\[Errno \d+\][^;]*|All connection attempts failed": "there is no connection to its server",
}
_PATTERNS = [(re.compile(pattern), sentence) for pattern, sentence in _SENTENCES.items()]


def reword_failure(message: str) -> str:
    """The message without error numbers and the operating system's words."""
    for pattern, sentence in _PATTERNS:
        message = pattern.sub(sentence, message)
    return message


def reword_problem(problem: Mapping[str, str] | None) -> dict[str, str] | None:
    """The problem of a row with its message reworded, if the model caused it. The template's own texts stay."""
    if problem is None:
        return None
    message = problem.get("message", "")
    return {**problem, "message": reword_failure(message) if problem.get("step") == "model" else message}
