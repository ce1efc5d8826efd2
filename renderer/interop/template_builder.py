"""Builds a document from a foreign template's pieces or messages, and checks that it prints the same."""

from collections.abc import Iterable, Sequence
from typing import Any

from promptuary import renderer
from promptuary.renderer.interop.imported import (
    Difference,
    ImportedTemplate,
    LossError,
    check_imported,
    slugify,
    write_document,
)
from promptuary.renderer.interop.pieces import (
    History,
    Message,
    Piece,
    prove_parts,
    write_parts_body,
    write_text_body,
)

__all__ = ["ROLES", "TemplateBuilder", "convert_role"]

ROLES = ("system", "user", "assistant", "developer", "tool")
_OTHER_ROLES = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "chatbot": "assistant",
    "function": "tool",
}


def convert_role(role: Any) -> str:
    """Map another system's role to ours. Raises LossError."""
    name = str(role).lower()
    if name in ROLES:
        return name
    if name in _OTHER_ROLES:
        return _OTHER_ROLES[name]
    raise LossError(f"there is no role {role!r}; the roles are {', '.join(ROLES)}")


class TemplateBuilder:
    """What all documents of one source share: the format's name, front matter, facts and differences."""

    def __init__(self, source_format: str, name: str) -> None:
        self.source_format = source_format
        self.name = name
        self.front: dict[str, Any] = {}
        self.facts: dict[str, Any] = {}
        self.samples: dict[str, Any] = {}
        self._differences: dict[Difference, None] = {}

    def differ(self, message: str, line: int | None = None) -> None:
        """Record a difference between the document and the source."""
        self._differences[Difference(message, line)] = None

    def add_differences(self, differences: Iterable[Difference]) -> None:
        """Record several differences."""
        self._differences |= dict.fromkeys(differences)

    def build_text(self, pieces: Sequence[Piece]) -> ImportedTemplate:
        """Build a `text` document of one text. Raises LossError."""
        if not any(piece != "" for piece in pieces):
            raise LossError("its text is empty")
        return self.build_body("text", write_text_body(pieces))

    def build_parts(self, messages: Sequence[Message | History]) -> ImportedTemplate:
        """Build a `parts` document, one part per message. Raises LossError."""
        if not messages:
            raise LossError("it has no messages")
        body = write_parts_body(messages)
        prove_parts(f"---\nformat: parts\n---\n{body}", messages)
        return self.build_body("parts", body)

    def build_body(self, document_format: str, body: str) -> ImportedTemplate:
        """Build a document from a finished body. Raises LossError."""
        front: dict[str, Any] = {**self.front, "format": document_format}
        if front.get("inputs"):
            front["inputs"] = {**self._declare_rest(document_format, body), **front["inputs"]}
        document = write_document(self.source_format, front, body, self.facts)
        imported = ImportedTemplate(
            slugify(self.name), document, self.source_format, self.samples, tuple(self._differences)
        )
        return check_imported(imported, body)

    def _declare_rest(self, document_format: str, body: str) -> dict[str, Any]:
        """Schemas that accept any value, for names that the body uses and the source doesn't declare."""
        try:
            used = renderer.load(f"---\nformat: {document_format}\n---\n{body}").body.list_names()
        except renderer.RenderError as error:
            raise LossError(error.message) from error
        names = sorted(used - set(self.front["inputs"]))
        if names:
            self.differ(f"inputs that the source uses and does not declare are declared: {', '.join(names)}")
        return {name: {} for name in names}
