"""The protocol of a document format: compile a document once, then turn data into parts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from promptuary.renderer.document.parser import Document
from promptuary.renderer.jinja import Use
from promptuary.renderer.part import Part
from promptuary.renderer.problems import Problem
from promptuary.renderer.profiles import Profile

__all__ = ["Body", "Format", "Functions", "WithProfile", "WithTools", "WithUses", "WithoutInputs"]

Functions = Mapping[str, Callable[..., Any]]


class Body(Protocol):
    """A compiled body. It holds no state of a rendering, so threads may share it."""

    def parts(self, data: Mapping[str, Any]) -> Sequence[Sequence[Part]]:
        """One list of parts a prompt; only `shaped` gives more than one. Data are plain JSON values, defaults filled
        in.
        """
        ...

    def problems(self) -> list[Problem]:
        """What can be said without data."""
        ...

    def names(self) -> set[str]:
        """The variables the body uses, fragments included."""
        ...


@runtime_checkable
class WithUses(Protocol):
    """A body that can tell where it uses each name; others report undeclared names among their problems."""

    def uses(self) -> list[Use]: ...


@runtime_checkable
class WithProfile(Protocol):
    """A body whose parts depend on the profile: its marks and system text."""

    def in_profile(self, profile: Profile | None) -> Body: ...


@runtime_checkable
class WithTools(Protocol):
    """A body that says itself which tools its prompts have."""

    def tools(self, data: Mapping[str, Any]) -> tuple[Any, ...]: ...


@runtime_checkable
class WithoutInputs(Protocol):
    """A body that need not be compiled again where its document declares no inputs."""

    def without_inputs(self, document: Document) -> Body: ...


class Format(Protocol):
    """A way to read bodies. `fragments` maps each reference as written to that document's text."""

    name: str

    def compile(self, document: Document, fragments: Mapping[str, str], functions: Functions) -> Body: ...
