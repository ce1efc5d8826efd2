"""YAML output for YAML 1.1 parsers, which don't read an unquoted `no` or `12:30` as text."""

from typing import Any

import yaml

__all__ = ["write_yaml_1_1"]


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as block scalars."""


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _write_text)


def write_yaml_1_1(value: Any) -> str:
    """Write a mapping in block style, keeping the order of its keys."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100_000)
