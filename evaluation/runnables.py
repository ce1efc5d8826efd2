"""Runnables, which an evaluation runs: a function, a template with a model, or (in `chains`) several of them wired."""

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from promptuary.evaluation.errors import EvaluationError, ReplyError
from promptuary.evaluation.models import Model
from promptuary.renderer.digest import encode_canonical_json
from promptuary.renderer.errors import MissingVocabularyError, OutputError
from promptuary.renderer.template import Template

__all__ = ["FunctionRunnable", "Runnable", "TemplateRunnable", "list_input_names"]


@runtime_checkable
class Runnable(Protocol):
    """Anything with a name, a digest that changes when its behaviour is meant to change, and `run`.

    The attribute `inputs` (a tuple of names) lists the inputs it takes; without it, all are passed on. The attribute
    `definition` (plain JSON) is what a result file records about it.
    """

    name: str
    digest: str

    def run(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Run one row: inputs by name to outputs by name."""
        ...


class FunctionRunnable:
    """Any callable: keyword arguments in, a mapping of outputs out; any other value becomes `{"output": value}`."""

    def __init__(self, name: str, function: Callable[..., Any], *, revision: str = "") -> None:
        self.name = name
        self.inputs = _list_parameters(function)
        self.definition: dict[str, Any] = {
            "kind": "function",
            "name": name,
            "inputs": list(self.inputs or ()),
            "revision": revision,
        }
        self.digest = "sha256:" + hashlib.sha256(encode_canonical_json(self.definition)).hexdigest()
        self._function = function

    def run(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Call the function with the inputs as keyword arguments."""
        outputs = self._function(**inputs)
        return dict(outputs) if isinstance(outputs, Mapping) else {"output": outputs}


class TemplateRunnable:
    """A template version with a model: renders the prompt, asks the model, reads the reply.

    Outputs: `reply` (the model's text), `answer` (the same, unless the template's shapers define one), `prompt_tokens`,
    and whatever the template's output shapers publish.
    """

    def __init__(self, template: Template, model: Model, *, name: str = "template", prompt: str | None = None) -> None:
        """`prompt` replaces the template's body; its inputs, settings and output shapers stay."""
        self.name, self._template, self._model, self._prompt = name, template, model, prompt
        inputs_declared = template.document.inputs
        self.inputs = None if inputs_declared is None else tuple(inputs_declared)
        self.definition = {"kind": "template", "name": name, "bundle": template.bundle(), "model": model.name}
        identity = {"template": template.digest, "model": model.name}
        if prompt is not None:
            self.definition["prompt"] = identity["prompt"] = prompt
        self.digest = "sha256:" + hashlib.sha256(encode_canonical_json(identity)).hexdigest()

    def with_prompt(self, prompt: str) -> "TemplateRunnable":
        """Return the same runnable with another prompt text; see `prompt` of the constructor."""
        return TemplateRunnable(self._template, self._model, name=self.name, prompt=prompt)

    def run(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Render the inputs, ask the model once per prompt, and read the replies. Raises ReplyError if that fails."""
        prompts = self._template.render_all(inputs, prompt=self._prompt)
        settings = self._template.document.settings
        replies = [self._model.complete(prompt, settings).text for prompt in prompts]
        outputs: dict[str, Any] = {"reply": replies[0], "answer": replies[0]}
        if len(replies) > 1:
            outputs = {"reply": replies, "answer": replies}
        try:
            outputs["prompt_tokens"] = sum(prompt.token_count for prompt in prompts)
        except MissingVocabularyError:
            pass  # they fit without being counted; a metric on the count reports it as missing
        if self._template.document.output:
            try:
                outputs |= self._template.read(replies, inputs, prompts=prompts)
            except OutputError as error:
                raise ReplyError(error.message, "\n\n".join(replies)) from error
        return outputs


def list_input_names(runnable: Runnable) -> tuple[str, ...] | None:
    """The names that a runnable takes, or None if it doesn't declare them."""
    names: Sequence[str] | None = getattr(runnable, "inputs", None)
    return None if names is None else tuple(names)


def _list_parameters(function: Callable[..., Any]) -> tuple[str, ...] | None:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError) as error:
        raise EvaluationError(f"{function!r} can't be called with named inputs") from error
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return tuple(parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_POSITIONAL)
