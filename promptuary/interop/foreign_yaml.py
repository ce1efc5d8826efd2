"""YAML for programs that read it with PyYAML's older rules, in which `no` and `12:30` are no texts."""

from typing import Any

import yaml

__all__ = ["write"]


class _Dumper(yaml.SafeDumper):
    """Texts of several lines as blocks of lines."""


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _write_text)


def write(value: Any) -> str:
    """A mapping in block style, its keys in their order."""
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100_000)
