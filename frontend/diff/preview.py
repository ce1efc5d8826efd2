"""A version rendered on a sample, as a page shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from frontend.diff import rendered
from registry.accounts.actor import Actor
from registry.core.errors import Busy, Invalid, PromptuaryError
from registry.templates import preview
from registry.templates.sample_renderings import Outcome

__all__ = ["Failure", "Preview", "of_outcome", "render"]


@dataclass(frozen=True)
class Failure:
    """Why nothing could be rendered: a code, a sentence, the line of the document."""

    code: str
    message: str
    line: int | None = None


@dataclass(frozen=True)
class Preview:
    """A rendered prompt, or the failure instead of it. `parts` are as the renderer gives them, with spans."""

    parts: Sequence[Mapping[str, Any]] = ()
    cut: Sequence[Mapping[str, Any]] = ()
    token_count: int | None = None
    limit: int | None = None
    exact: bool = True
    failure: Failure | None = None

    @property
    def messages(self) -> list[rendered.Message]:
        return rendered.messages(self.parts)

    @property
    def summary(self) -> str:
        """`2,430 of 5,200 tokens, nothing cut`"""
        if self.token_count is None:
            return ""
        words = f"{self.token_count:,} of {self.limit:,} tokens" if self.limit else f"{self.token_count:,} tokens"
        if not self.exact:
            words += ", an estimate"
        gone = sum(int(cut.get("tokens") or 0) for cut in self.cut)
        return f"{words}, {gone:,} cut" if self.cut else f"{words}, nothing cut"


def render(actor: Actor, name: str, number: int, data: Mapping[str, Any]) -> Preview:
    """The version rendered on these data; what cannot be rendered comes back as a failure, never as an exception."""
    try:
        result = preview.render(actor=actor, name=name, ref=str(number), data=dict(data), target="messages")
    except Invalid as error:
        return Preview(failure=_failure(error))
    except Busy as error:
        return Preview(failure=Failure("", f"{error.message} Reload to try again."))
    except PromptuaryError as error:
        return Preview(failure=Failure("", error.message))
    return _of_prompt(result)


def of_outcome(outcome: Outcome) -> Preview:
    """The same from a rendering that is kept."""
    if outcome.prompt is not None:
        return _of_prompt(outcome.prompt)
    problem = outcome.problem
    return Preview(failure=Failure(problem.code, problem.message, problem.line) if problem else Failure("", ""))


def _of_prompt(result: Mapping[str, Any]) -> Preview:
    limit = result.get("token_limit")
    return Preview(
        parts=result.get("parts") or (),
        cut=result.get("cut") or (),
        token_count=result.get("token_count"),
        limit=limit - (result.get("reserve") or 0) if limit else None,
        exact=bool((result.get("tokenizer") or {}).get("exact", True)),
    )


def _failure(error: Invalid) -> Failure:
    if not error.problems:
        return Failure("", error.message)
    problem = error.problems[0]
    return Failure(problem.code, problem.message, problem.line)
