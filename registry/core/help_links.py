"""URLs of the help pages for problem codes, for API responses and pages.

A separate module, because the API's serializers, the table of errors and the pages all need the same URL.
"""

from typing import Any

from django.conf import settings

from promptuary.renderer.problems import Problem

__all__ = ["describe_problem", "find_problem_url"]


def find_problem_url(code: str) -> str:
    """The absolute URL of the page that explains the code, such as `https://…/help/problems/PT101`."""
    return f"{settings.BASE_URL}/help/problems/{code}"


def describe_problem(problem: Problem) -> dict[str, Any]:
    """The problem as in API responses: its JSON form plus the URL that explains its code."""
    return {**problem.to_dict(), "help_url": find_problem_url(problem.code)}
