"""What a format offers: compile a document once, then turn data into parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from renderer.document import Document
from renderer.problems import Problem
from renderer.prompt import Part

__all__ = ["Body", "Format", "Functions"]

Functions = Mapping[str, Callable[..., Any]]


class Body(Protocol):
    """A compiled body. It holds no state of a rendering, so threads may share it."""

    def parts(self, data: Mapping[str, Any]) -> Sequence[Sequence[Part]]:
        """One list of parts a prompt; only `shaped` gives more than one. Data are plain JSON values, defaults filled in."""
        ...

    def problems(self) -> list[Problem]:
        """What can be said without data."""
        ...

    def names(self) -> set[str]:
        """The variables the body uses, fragments included."""
        ...


class Format(Protocol):
    """A way to read bodies. `fragments` maps each reference as written to that document's text."""

    name: str

    def compile(self, document: Document, fragments: Mapping[str, str], functions: Functions) -> Body: ...
