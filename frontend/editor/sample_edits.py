"""Edits of samples, a mapping of values by input for each name. Pure; each returns a new mapping."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

__all__ = [
    "FIRST_SAMPLE",
    "drop_value",
    "fill_missing_value",
    "list_spent_samples",
    "order_samples",
    "read_value",
    "remove_sample",
    "rename_value",
    "set_values",
]

Samples = dict[str, dict[str, Any]]

FIRST_SAMPLE = "first example"
"""The name of the sample created from values typed beside the preview."""


def set_values(samples: Samples, name: str, values: Mapping[str, Any]) -> tuple[Samples, str]:
    """Set the values of the named sample, and return its name. Values without a sample create the first one."""
    if name in samples:
        return {**samples, name: dict(values)}, name
    if not values:
        return samples, name
    fresh = name or FIRST_SAMPLE
    return {**samples, fresh: dict(values)}, fresh


def order_samples(samples: Samples, names: Sequence[Any]) -> Samples:
    """Sort the samples by these names; those not listed come last. names: from a script, whose objects sort
    whole-number keys first.
    """
    order = [name for name in names if isinstance(name, str) and name in samples]
    return {name: samples[name] for name in dict.fromkeys([*order, *samples])}


def remove_sample(samples: Samples, name: str) -> Samples:
    """The samples without the named one."""
    return {key: values for key, values in samples.items() if key != name}


def rename_value(samples: Samples, old: str, new: str) -> Samples:
    """Rename an input in all samples, and keep its position."""
    return {
        name: {new if key == old else key: value for key, value in values.items() if key != new or old not in values}
        for name, values in samples.items()
    }


def drop_value(samples: Samples, name: str) -> Samples:
    """Remove the value of one input from all samples."""
    return {sample: {key: value for key, value in values.items() if key != name} for sample, values in samples.items()}


def fill_missing_value(samples: Samples, path: str, value: Any) -> Samples:
    """Set the value at a path such as `customer.name` in each sample that lacks it."""
    return {name: _set_value(values, path.split("."), value) for name, values in samples.items()}


def read_value(values: Mapping[str, Any], path: str) -> Any:
    """The value at a path such as `customer.name`, None if there isn't one."""
    value: Any = values
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


def list_spent_samples(samples: Samples, examples: Collection[Mapping[str, Any]], used: Collection[str]) -> list[str]:
    """Names of unchanged samples of an example document that have a value for an input that the text doesn't use."""
    return [name for name, values in samples.items() if values in examples and not values.keys() <= set(used)]


def _set_value(values: Mapping[str, Any], steps: list[str], value: Any) -> dict[str, Any]:
    step, further_steps = steps[0], steps[1:]
    if not further_steps:
        return {**values} if step in values else {**values, step: value}
    inner = values.get(step, {})
    return {**values, step: _set_value(inner, further_steps, value)} if isinstance(inner, Mapping) else {**values}
