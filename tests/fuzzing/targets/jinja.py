"""The check of a document and its Jinja: never an error of Python's, and what has no error can be loaded."""

from promptuary import renderer
from tests.fuzzing.text import check_places, decode_text


def try_input(data: bytes) -> None:
    """Check the bytes as a document, and load it if it is sound."""
    text = decode_text(data)
    problems = renderer.validate(text)
    check_places(text, problems)
    if not any(problem.severity == "error" for problem in problems):
        renderer.load(text)
