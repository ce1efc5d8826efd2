"""The parts of pasted text that its format interprets, placeholders and chat markers, to mark them in the field."""

import json
import re
from collections.abc import Collection, Iterable, Sequence

from frontend.editor.import_rows import ImportRow
from promptuary.renderer.interop import chat_markup, chatml
from promptuary.renderer.interop.placeholder_syntax import find_syntax, list_placeholders
from promptuary.renderer.interop.placeholders import SYNTAXES

__all__ = ["write_marks"]

_MAX_MARKS = 200
_EXPRESSION = re.compile(r"\{\{[^{}\n]{1,200}\}\}|\{%[^{}\n]{1,200}%\}")
_MARKERS = re.compile(r"<\|\w{1,40}\|>|<(?:start|end)_of_turn>|</?s>|\[/?INST\]|<</?SYS>>")


def write_marks(text: str, chosen_format: str, rows: Sequence[ImportRow]) -> str:
    """The parts of the text to mark, as JSON: `inputs` and `markers`, each a list of unique strings.

    chosen_format: as in the form, empty to detect it. rows: the result of the import.
    """
    marks: dict[str, list[str]] = {"inputs": [], "markers": []}
    if text and rows:
        if any(row.source_format in (chatml.KIND, chat_markup.KIND) for row in rows):
            marks["markers"] = _drop_repeats(_MARKERS.findall(text))
        if chosen_format != "none":
            marks["inputs"] = _drop_repeats(_list_inputs(text, chosen_format, rows))
    return json.dumps(marks, ensure_ascii=False)


def _list_inputs(text: str, chosen_format: str, rows: Sequence[ImportRow]) -> list[str]:
    """The placeholders that became inputs, as written, and all text in double braces."""
    input_names = {_normalize_name(entry.name) for row in rows for entry in row.inputs}
    is_known = all(row.messages for row in rows)
    syntax = chosen_format if chosen_format in SYNTAXES else find_syntax(text)
    placeholders = list_placeholders(text, syntax)
    return [
        *(spelled for name, spelled in placeholders if not is_known or _is_among(name, input_names)),
        *_EXPRESSION.findall(text),
    ]


def _is_among(name: str, names: Collection[str]) -> bool:
    return _normalize_name(re.split(r"[.\[]", name)[0]) in names


def _normalize_name(name: str) -> str:
    """Normalize a name so that a placeholder matches the input that it became."""
    return re.sub(r"[\W_]+", "", name).casefold()


def _drop_repeats(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))[:_MAX_MARKS]
