"""The interface of a document format: compile a document once, then turn data into parts."""

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
    """A compiled body. It holds no state of a rendering, so it is thread-safe."""

    def build_parts(self, data: Mapping[str, Any]) -> Sequence[Sequence[Part]]:
        """Return one list of parts per prompt; only `shaped` returns several. Data are plain JSON with defaults."""
        ...

    def find_problems(self) -> list[Problem]:
        """Return the problems that can be found without data."""
        ...

    def list_names(self) -> set[str]:
        """The variables the body uses, fragments included."""
        ...


@runtime_checkable
class WithUses(Protocol):
    """A body that has the place of each use of a name; others report undeclared names as problems."""

    def list_uses(self) -> list[Use]: ...


@runtime_checkable
class WithProfile(Protocol):
    """A body whose parts depend on the profile: its marks and system text."""

    def bind_profile(self, profile: Profile | None) -> Body: ...


@runtime_checkable
class WithTools(Protocol):
    """A body that determines its prompts' tools itself."""

    def build_tools(self, data: Mapping[str, Any]) -> tuple[Any, ...]: ...


@runtime_checkable
class WithoutInputs(Protocol):
    """A body that can drop its document's declared inputs without being recompiled."""

    def drop_inputs(self, document: Document) -> Body: ...


class Format(Protocol):
    """A body format. `fragments` maps each reference as written to that document's text."""

    name: str

    def compile(self, document: Document, fragments: Mapping[str, str], functions: Functions) -> Body: ...
