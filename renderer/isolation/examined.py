"""ExaminedDocument: a child's findings about a document, as JSON in transit and as dataclasses at both ends."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from promptuary.renderer import errors
from promptuary.renderer.errors import RenderError
from promptuary.renderer.problems import Edit, Fix, Place, Problem
from promptuary.renderer.validation.undeclared_inputs import UndeclaredInput, UndeclaredInputs

__all__ = ["ExaminedDocument", "read_undeclared", "write_undeclared"]


@dataclass(frozen=True)
class ExaminedDocument:
    """The problems and the undeclared inputs of a document, and its preview.

    `prompts` are as returned by `BoundedRenderer.render_with_placeholders`, with their `placeholders`; empty if `error`
    stopped them.
    """

    problems: list[Problem]
    undeclared: UndeclaredInputs
    prompts: list[dict[str, Any]] = field(default_factory=list)
    placeholders: list[str] = field(default_factory=list)
    error: RenderError | None = None

    @classmethod
    def from_answer(cls, answer: Mapping[str, Any]) -> "ExaminedDocument":
        """Build from the answer of a child."""
        problems = [Problem.from_dict(problem) for problem in answer["problems"]]
        undeclared, preview = read_undeclared(answer["undeclared"]), answer["preview"]
        if "error" in preview:
            return cls(problems, undeclared, error=errors.from_dict(preview["error"]))
        prompts = [{**prompt, "preview": prompt["parts"]} for prompt in preview["prompts"]]
        return cls(problems, undeclared, prompts, preview["placeholders"])


def write_undeclared(undeclared: UndeclaredInputs) -> dict[str, Any]:
    """Return all of it as plain JSON; `UndeclaredInputs.to_dict` is the shorter form for the API."""
    return {
        "inputs": [asdict(undeclared_input) for undeclared_input in undeclared.inputs],
        "fix": undeclared.fix.to_dict() if undeclared.fix else None,
        "used": None if undeclared.used is None else sorted(undeclared.used),
    }


def read_undeclared(value: Mapping[str, Any]) -> UndeclaredInputs:
    """Rebuild from `write_undeclared()`."""
    inputs = [UndeclaredInput(**{**item, "place": Place(**item["place"])}) for item in value["inputs"]]
    fix, used = value["fix"], value["used"]
    cure = Fix(fix["title"], tuple(Edit(**edit) for edit in fix["edits"])) if fix else None
    return UndeclaredInputs(inputs, cure, None if used is None else frozenset(used))
