"""Output shapers: from a model's replies to answers, documents, values and scores.

The front matter lists them under `output.shapers`, each with its function, the sources of its arguments, and the names
of its results. They work like Haystack's Shaper nodes.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from promptuary.renderer.errors import OutputError, RenderError
from promptuary.renderer.functions import describe_nearest
from promptuary.renderer.replies.shapers import answers, documents, replies, values
from promptuary.renderer.replies.shapers.context import Clock, Reader

__all__ = ["SHAPERS", "Clock", "Reader", "Shaper", "shape"]


@dataclass(frozen=True, slots=True)
class Shaper:
    """One output shaper, with what the editor and the reference page show of it."""

    name: str
    call: Callable[..., Any]

    @property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """The parameters that inputs and params may set."""
        signature_parameters = inspect.signature(self.call).parameters.values()
        return tuple(
            parameter for parameter in signature_parameters if parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        )

    @property
    def signature(self) -> str:
        names = [str(parameter.replace(annotation=inspect.Parameter.empty)) for parameter in self.parameters]
        return f"{self.name}({', '.join(names)})"

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        return (self.call.__doc__ or "").strip().split("\n", 1)[0]

    def to_dict(self) -> dict[str, str]:
        return {"name": self.name, "signature": self.signature, "summary": self.summary}

    def missing(self, arguments: Mapping[str, Any]) -> list[str]:
        """Return the required parameters that `given` lacks."""
        needed = (parameter.name for parameter in self.parameters if parameter.default is inspect.Parameter.empty)
        return [name for name in needed if name not in arguments]

    def run(self, arguments: Mapping[str, Any], reader: Reader) -> Any:
        """Call it. Raises OutputError, naming the shaper, for unknown or invalid arguments."""
        names = [parameter.name for parameter in self.parameters]
        for name in arguments:
            if name not in names:
                raise OutputError(
                    f"{self.name} has no argument `{name}`; {describe_nearest(name, names)}", code="PT812"
                )
        missing = self.missing(arguments)
        if missing:
            raise OutputError(f"{self.name} needs `{missing[0]}`, which is not given", code="PT812")
        extra = {"reader": reader} if "reader" in inspect.signature(self.call).parameters else {}
        try:
            return self.call(**arguments, **extra)
        except RenderError as error:
            raise OutputError(f"{self.name}: {error.message}", code="PT801") from error


SHAPERS: Mapping[str, Shaper] = MappingProxyType(
    {
        name: Shaper(name, getattr(module, name))
        for module in (values, documents, answers, replies)
        for name in module.__all__
    }
)


def find_shaper(name: Any) -> Shaper:
    """Return a shaper by name. Raises OutputError with the likely name, or all known ones."""
    if not isinstance(name, str) or name not in SHAPERS:
        raise OutputError(f"`{name}` is not a shaper; {describe_nearest(str(name), list(SHAPERS))}", code="PT811")
    return SHAPERS[name]


def shape(
    name: str,
    inputs: Mapping[str, Any] | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    clock: Clock | None = None,
    tokenizer: str | Callable[[str], Sequence[Any]] | None = None,
) -> Any:
    """Run one shaper on values and return its result.

    `inputs` maps its arguments to values; `params` has those that inputs leave out. Raises OutputError.
    """
    reader = Reader(tokenizer=tokenizer) if clock is None else Reader(clock, tokenizer=tokenizer)
    return find_shaper(name).run({**(params or {}), **(inputs or {})}, reader)
