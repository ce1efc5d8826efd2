"""Errors of the services: the message and fields of each."""

from promptuary.renderer.problems import Problem
from registry.core.errors import Invalid, NotFound


def test_an_error_keeps_its_sentence_and_facts():
    error = NotFound("There is no such thing.", number=3)
    assert (error.message, str(error), error.facts) == (
        "There is no such thing.",
        "There is no such thing.",
        {"number": 3},
    )


def test_invalid_sums_up_its_problems_by_the_first_error():
    problems = [
        Problem("PT1", "warning", "unused", 1),
        Problem("PT2", "error", "no such input", 7),
        Problem("PT3", "error", "another", 9),
    ]
    assert Invalid(problems=problems).message == "line 7: no such input (and 1 more)"


def test_invalid_sums_up_its_fields():
    assert Invalid(fields={"label": "a letter first"}).message == "label: a letter first"
    assert Invalid().message == "the input is wrong"
