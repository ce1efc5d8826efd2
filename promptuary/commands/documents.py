"""Documents that a command reads: the argument that names one, and loading one from disk."""

from pathlib import Path
from typing import Annotated

import typer

from promptuary import renderer
from promptuary.commands.completion import complete_name
from promptuary.renderer.tokens.vocabularies import VocabularySource
from promptuary.workspace import Workspace, read_document_text

__all__ = ["Subject", "is_on_disk", "load_document"]

Subject = Annotated[
    str,
    typer.Argument(
        metavar="FILE|NAME[@REF]",
        help="A document (*.yml.j2) on disk, or a template of the registry.",
        autocompletion=complete_name,
    ),
]


def is_on_disk(subject: str) -> bool:
    """Whether the argument names a file, existing or not, instead of a template of the registry."""
    return Path(subject).exists() or subject.endswith(".j2")


def load_document(path: Path, vocabularies: VocabularySource | None = None) -> renderer.Template:
    """Load a document with the fragments that were pulled into its workspace. Raises RenderError or OSError."""
    workspace = Workspace.around(path)
    fragments = workspace.read_fragments() if workspace else {}
    return renderer.load(read_document_text(path), fragments=fragments, vocabularies=vocabularies)
