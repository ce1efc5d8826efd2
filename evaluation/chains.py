"""Chains: named runnables in order, wired output to input. Written as YAML.

    name: question answering
    components: [retriever, reader]
    wiring:
      reader.passages: retriever.documents

An input that no wire feeds comes from outside, under its component's name.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from promptuary.evaluation.errors import ChainError
from promptuary.evaluation.runnables import Runnable, TemplateRunnable, list_input_names
from promptuary.renderer.digest import encode_canonical_json
from promptuary.renderer.syntax.yaml_reader import YamlError, compose, read_value

__all__ = ["Chain", "spread_inputs"]

Rows = dict[str, dict[str, Any]]


class Chain:
    """An ordered mapping of runnables, and wires `component.input: component.output`. A chain is itself a runnable."""

    def __init__(
        self, components: Mapping[str, Runnable], wiring: Mapping[str, str] | None = None, *, name: str = "chain"
    ) -> None:
        if not components:
            raise ChainError("a chain has at least one component")
        self.name, self.components = name, dict(components)
        self.wires = {target: (_split(source, "output")) for target, source in (wiring or {}).items()}
        self._check_wires()
        self.definition = {
            "kind": "chain",
            "name": name,
            "components": [
                {"name": key, "digest": part.digest, "definition": getattr(part, "definition", None)}
                for key, part in self.components.items()
            ],
            "wiring": dict(wiring or {}),
        }
        self.digest = "sha256:" + hashlib.sha256(encode_canonical_json(self.definition)).hexdigest()

    def _check_wires(self) -> None:
        order = list(self.components)
        for target, (upstream, _output) in self.wires.items():
            component, argument = _split(target, "input")
            for name in (component, upstream):
                if name not in self.components:
                    raise ChainError(f"the wire {target} names {name!r}, which isn't a component of {self.name}")
            if order.index(upstream) >= order.index(component):
                raise ChainError(f"the wire {target} comes from {upstream!r}, which does not run before {component!r}")
            names_taken = list_input_names(self.components[component])
            if names_taken is not None and argument not in names_taken:
                raise ChainError(
                    f"{component} takes {', '.join(names_taken) or 'nothing'}; the wire {target} feeds none of it"
                )

    def outer_inputs(self, component: str) -> tuple[str, ...] | None:
        """Return the inputs of a component that come from outside, or None if it doesn't declare its inputs."""
        names_taken = list_input_names(self.components[component])
        return None if names_taken is None else tuple(n for n in names_taken if f"{component}.{n}" not in self.wires)

    def upstream(self, component: str) -> dict[str, tuple[str, str]]:
        """The (component, output) that feeds each wired input of the component, by input."""
        prefix = f"{component}."
        return {t.removeprefix(prefix): source for t, source in self.wires.items() if t.startswith(prefix)}

    def run(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Run one row through all components and return `{component: its outputs}`; inputs as in `spread_inputs`."""
        data = spread_inputs(self, inputs)
        outputs: Rows = {}
        for component, runnable in self.components.items():
            outputs[component] = runnable.run(self.gather(component, data, outputs))
        return dict(outputs)

    def gather(self, component: str, data: Rows, outputs: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Return a component's inputs: those from outside and those that its wires carry."""
        gathered = dict(data.get(component, {}))
        for argument, (upstream, output) in self.upstream(component).items():
            if output not in outputs[upstream]:
                has = ", ".join(outputs[upstream]) or "nothing"
                raise ChainError(f"{component}.{argument} is wired to {upstream}.{output}, but {upstream} gave {has}")
            gathered[argument] = outputs[upstream][output]
        return gathered

    def slice(self, first: str, last: str) -> "Chain":
        """Return the chain from `first` to `last`; inputs wired to earlier components then come from outside."""
        order = list(self.components)
        for end_name in (first, last):
            self._find(end_name)
        between = order[order.index(first) : order.index(last) + 1]
        if not between:
            raise ChainError(f"{first!r} runs after {last!r}")
        wires = {
            target: ".".join(source)
            for target, source in self.wires.items()
            if _split(target, "input")[0] in between and source[0] in between
        }
        return Chain({name: self.components[name] for name in between}, wires, name=f"{self.name}[{first}:{last}]")

    def replace(self, component: str, runnable: Runnable) -> "Chain":
        """Return the chain with another runnable for one component. Raises ChainError if a wire doesn't fit it."""
        self._find(component)
        wires = {target: ".".join(source) for target, source in self.wires.items()}
        return Chain({**self.components, component: runnable}, wires, name=self.name)

    def with_prompts(self, prompts: Mapping[str, str]) -> "Chain":
        """Return the chain with other prompt texts for the templates of these components, for one run.

        A template's inputs, settings and output shapers stay. Raises ChainError if a component isn't a template.
        """
        chain = self
        for component, prompt in prompts.items():
            step = self._find(component)
            if not isinstance(step, TemplateRunnable):
                raise ChainError(f"{component!r} isn't a template, so it takes no other prompt")
            chain = chain.replace(component, step.with_prompt(prompt))
        return chain

    def _find(self, component: str) -> Runnable:
        if component not in self.components:
            raise ChainError(f"{component!r} isn't a component of {self.name}; there are {', '.join(self.components)}")
        return self.components[component]

    @classmethod
    def from_yaml(cls, text: str, runnables: Mapping[str, Runnable]) -> "Chain":
        """Build the chain that the text describes; components are looked up by name in the mapping."""
        try:
            content = read_value(compose(text))
        except YamlError as error:
            raise ChainError(f"the chain can't be read: {error}") from error
        if not isinstance(content, dict) or not isinstance(content.get("components"), list):
            raise ChainError("a chain is a mapping with `name`, `components` (a list of names) and `wiring`")
        if unknown := set(content) - {"name", "components", "wiring"}:
            raise ChainError(f"a chain has no {sorted(unknown)[0]!r}: only name, components and wiring")
        missing = [name for name in content["components"] if name not in runnables]
        if missing:
            raise ChainError(f"no runnable was given for {', '.join(map(str, missing))}")
        components = {name: runnables[name] for name in content["components"]}
        return cls(components, content.get("wiring") or {}, name=str(content.get("name", "chain")))


def spread_inputs(chain: Chain, inputs: Mapping[str, Any]) -> Rows:
    """Group inputs by component. A bare name goes to the one component that takes it; ChainError if several do.

    A key that is a component's name, with a mapping as its value, holds that component's inputs.
    """
    rows: Rows = {}
    for name, value in inputs.items():
        if name in chain.components and isinstance(value, Mapping):
            rows.setdefault(name, {}).update(value)
            continue
        takers = [c for c in chain.components if name in (chain.outer_inputs(c) or ())]
        if not takers:
            takers = [c for c in chain.components if chain.outer_inputs(c) is None]
        if len(takers) != 1:
            who = f"{' and '.join(takers)} both take it" if takers else "no component takes it"
            raise ChainError(f"the input {name!r} can't be placed: {who}. Write {{component: {{{name}: …}}}}")
        rows.setdefault(takers[0], {})[name] = value
    return rows


def _split(name: str, noun: str) -> tuple[str, str]:
    component, dot, rest = str(name).partition(".")
    if not dot or not component or not rest:
        raise ChainError(f"{name!r} is not of the form component.{noun}")
    return component, rest
