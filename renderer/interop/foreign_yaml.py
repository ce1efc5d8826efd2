"""YAML output for readers with YAML 1.1 rules, in which an unquoted `no` or `12:30` is not text."""

from typing import Any

import yaml

__all__ = ["write_yaml_1_1"]


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks of lines."""


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _write_text)


def write_yaml_1_1(value: Any) -> str:
    """A mapping in block style, its keys in their order."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100_000)
