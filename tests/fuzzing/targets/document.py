"""Parsing documents: a document or problems, each with a place in the text; front matter is plain JSON."""

import json

from promptuary.renderer.document.parser import inspect_document, parse_document
from tests.fuzzing.text import check_places, decode_text


def try_input(data: bytes) -> None:
    """Read the bytes as a document."""
    text = decode_text(data)
    document, problems = inspect_document(text)
    check_places(text, problems)
    if any(problem.severity == "error" for problem in problems):
        return
    assert document is not None
    assert parse_document(text) == document
    assert document.with_body(document.body).body == document.body
    json.dumps(document.front, allow_nan=False)
