"""Documents in prompt-poet's and Promptuary's own form, which are imported unchanged."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from promptuary.renderer.formats.parts.part_template import PART_FIELDS
from promptuary.renderer.interop.imported import ImportedTemplate, check_imported, slugify
from promptuary.renderer.interop.source_file import SourceFile

__all__ = ["KIND", "count_parts", "has_parts", "is_own_document", "read_own_document"]

KIND = "prompt-poet"
_ENDINGS = (".yml.j2", ".yaml.j2")
_ROLES = re.compile(r"""["']?(?:system|developer|user|human|assistant|ai|model|tool|function)\b|.*\{\{""")
_FRONT_MATTER = re.compile(r"---\n(?:.*\n)*?---\n")
_TAG = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_ITEM = re.compile(r"( *)- +(?=\S)")
_KEY = re.compile(r"(\w+):(?:[ \t]+(.*))?$")
_PART = re.compile(r"^[ \t]*- name:.*\n(?:[ \t]+\S.*\n)*?[ \t]+(?:role|content):", re.MULTILINE)


def is_own_document(source: SourceFile) -> bool:
    """Whether it has a document's suffix, or the text looks like parts.

    In a file of YAML or Jinja, one part with a name and a role or content is enough. Other text must be nothing else.
    """
    if source.path.endswith(_ENDINGS):
        return True
    if source.suffix in (".j2", ".yml", ".yaml"):
        return has_parts(source.text)
    return source.suffix in ("", ".txt", ".md", ".markdown") and count_parts(source.text) > 0


def has_parts(text: str) -> bool:
    """Whether a text without a file name has a part with a name and a role or content."""
    return _PART.search(text) is not None


def count_parts(text: str) -> int:
    """Count the parts of a text that is a YAML list of them, with any tags of Jinja and front matter, and nothing else.

    Return 0 for any other text. Each part has a name and content and no key that parts don't have; at
    least one has the role of a message.
    """
    text = text.removeprefix("\ufeff")
    parts: list[dict[str, str]] = []
    column = key_column = -1
    for line in _TAG.sub("", _FRONT_MATTER.sub("", text, count=1) if text.startswith("---\n") else text).split("\n"):
        stripped = line.strip()
        indentation = len(line) - len(line.lstrip(" "))
        item = _ITEM.match(line)
        if item is not None and column in (-1, indentation):
            column, key_column = indentation, item.end()
            parts.append({})
        elif not stripped or (stripped.startswith("#") and indentation <= max(column, 0)):
            continue
        elif column == -1 or indentation <= column:
            return 0
        elif indentation != key_column:
            continue  # inside the content
        key = _KEY.match(line, key_column)
        if key is None or key[1] not in PART_FIELDS:
            return 0
        parts[-1][key[1]] = key[2] or ""
    has_role = any(_ROLES.match(part.get("role", "")) for part in parts)
    are_whole = all("name" in part and "content" in part for part in parts)
    return len(parts) if has_role and are_whole else 0


def read_own_document(source: SourceFile, fragments: Mapping[str, str] | None = None) -> list[ImportedTemplate]:
    """Return the document unchanged. Its name keeps the folders of its path. Raises LossError."""
    path = PurePosixPath(source.path)
    name = (path.parent / path.name.partition(".")[0]).as_posix()
    return [check_imported(ImportedTemplate(slugify(name), source.text, KIND), fragments=fragments)]
