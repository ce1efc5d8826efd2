"""Addresses of the help: the page of a problem's code, for answers of the API and for pages.

A module of its own, because the API's serializers, the table of errors and the pages all need the one address.
"""

from typing import Any

from django.conf import settings

from promptuary.renderer.problems import Problem

__all__ = ["describe_problem", "problem_url"]


def problem_url(code: str) -> str:
    """The address of the page that explains the code, absolute, such as `https://…/help/problems/PT101`."""
    return f"{settings.BASE_URL}/help/problems/{code}"


def describe_problem(problem: Problem) -> dict[str, Any]:
    """The problem as the API tells it: its JSON form, and where its code is explained."""
    return {**problem.to_dict(), "help_url": problem_url(problem.code)}
