"""Checking a document and its Jinja: never a Python error, and a document without errors can be loaded."""

from promptuary import renderer
from tests.fuzzing.text import check_places, decode_text


def try_input(data: bytes) -> None:
    """Check the bytes as a document, and load it if it is sound."""
    text = decode_text(data)
    problems = renderer.validate(text)
    check_places(text, problems)
    if not any(problem.severity == "error" for problem in problems):
        renderer.load(text)
