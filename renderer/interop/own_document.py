"""Documents in prompt-poet's and Promptuary's own form, which are imported unchanged."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from promptuary.renderer.interop.imported import ImportedTemplate, check_imported, slugify
from promptuary.renderer.interop.source_file import SourceFile

__all__ = ["KIND", "has_parts", "is_own_document", "read_own_document"]

KIND = "prompt-poet"
_ENDINGS = (".yml.j2", ".yaml.j2")
_PART = re.compile(r"^[ \t]*- name:.*\n(?:[ \t]+\S.*\n)*?[ \t]+(?:role|content):", re.MULTILINE)


def is_own_document(source: SourceFile) -> bool:
    """Whether it has a document's suffix, or else the text has a part with a name and a role or content."""
    return source.path.endswith(_ENDINGS) or (
        source.suffix in (".j2", ".yml", ".yaml") and _PART.search(source.text) is not None
    )


def has_parts(text: str) -> bool:
    """Whether a text without a file name has a part with a name and a role or content."""
    return _PART.search(text) is not None


def read_own_document(source: SourceFile, fragments: Mapping[str, str] | None = None) -> list[ImportedTemplate]:
    """Return the document unchanged. Its name keeps the folders of its path. Raises LossError."""
    path = PurePosixPath(source.path)
    name = (path.parent / path.name.partition(".")[0]).as_posix()
    return [check_imported(ImportedTemplate(slugify(name), source.text, KIND), fragments=fragments)]
