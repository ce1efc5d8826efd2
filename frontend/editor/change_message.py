"""The default message of a version, which describes what it changes."""

import re

from django.utils.translation import gettext, ngettext

from frontend.editor.state import EditorState
from promptuary.renderer.syntax import sequence_diff

__all__ = ["describe_change"]

_PART = re.compile(r"- name:\s*(.+?)\s*")
_MAX_NAMES = 3
_MAX_LETTERS = 200  # of all names together


def describe_change(state: EditorState) -> str:
    """Describe the lines that differ from the base and the parts they are in; empty if none do."""
    if state.latest is None:
        return gettext("First version")
    old = state.base.remaining.splitlines() if state.base else []
    new = state.document.splitlines()
    changes = [step for step in sequence_diff.find_steps(old, new) if step.kind != "equal"]
    count = sum(max(step.old_end - step.old_start, step.new_end - step.new_start) for step in changes)
    if not count:
        return ""
    names = list(
        dict.fromkeys(name for change in changes for name in _find_parts(new, change.new_start, change.new_end))
    )
    if not names or len(names) > _MAX_NAMES or len("".join(names)) > _MAX_LETTERS:
        return ngettext("{count} line changed", "{count} lines changed", count).format(count=count)
    sentence = ngettext("{count} line changed in {names}", "{count} lines changed in {names}", count)
    return sentence.format(count=count, names=", ".join(names))


def _find_parts(lines: list[str], start: int, end: int) -> list[str]:
    """The names of the parts that contain the lines, in order; empty for lines above the first part."""
    names: list[str] = []
    for number, line in enumerate(lines[: max(end, start + 1)]):
        if match := _PART.fullmatch(line):
            if number <= start:
                names.clear()
            names.append(match[1].strip("'\""))
    return names
