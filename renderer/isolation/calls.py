"""The calls of a BoundedRenderer that don't render prompts: they read, convert, compare, edit and check."""

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from promptuary.renderer import errors
from promptuary.renderer.errors import InputError, RenderError
from promptuary.renderer.interop.pasted import PastedPrompt
from promptuary.renderer.interop.reading import FileResult
from promptuary.renderer.interop.writing import ExportResult
from promptuary.renderer.origins.edit_outcomes import LineEdit, RefusedEdit

__all__ = ["BoundedCalls"]

# The minimum speed of reading other systems' files, including the check that they render the same.
_BYTES_A_SECOND = 200_000


class BoundedCalls(ABC):
    """Calls to child processes. `cpu_seconds` is a child's CPU time limit unless a call overrides it."""

    cpu_seconds: float

    @abstractmethod
    def call(self, method: str, arguments: dict[str, Any], *, seconds: float | None = None) -> Any:
        """Run one method in a child; raises the error it raised."""

    def read(
        self,
        document: str,
        replies: Any,
        data: Mapping[str, Any] | None = None,
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
        cpu_seconds: float | None = None,
    ) -> Any:
        """As `Template.read`: read a model's replies as the document declares."""
        sources = {"document": document, "fragments": fragments, "profile": profile}
        return self.call("read", {**sources, "replies": replies, "data": data or {}}, seconds=cpu_seconds)

    def read_many(
        self,
        document: str,
        rows: Mapping[str, tuple[Any, Mapping[str, Any]]],
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
    ) -> dict[str, dict[str, Any] | RenderError]:
        """Read the replies of many rows, (replies, data) by name, in one child: {name: as `read`, or its error}."""
        sources = {"document": document, "fragments": fragments, "profile": profile}
        requests = {name: {"replies": replies, "data": data} for name, (replies, data) in rows.items()}
        results = self.call("read_many", {**sources, "rows": requests}, seconds=self.cpu_seconds + 0.1 * len(rows))
        return {
            name: errors.from_dict(result["error"]) if "error" in result else result["outputs"]
            for name, result in results.items()
        }

    def read_fields(
        self,
        document: str,
        reply: str,
        data: Mapping[str, Any] | None = None,
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
    ) -> dict[str, Any]:
        """As `reply_fields.read_reply_fields`: a reply field by field, with the problems of each."""
        sources = {"document": document, "fragments": fragments, "profile": profile}
        reading: dict[str, Any] = self.call("read_fields", {**sources, "reply": reply, "data": data or {}})
        return reading

    def read_templates(
        self, files: Mapping[str, bytes], source_format: str = "", *, cpu_seconds: float | None = None
    ) -> list[FileResult]:
        """As `reading.read_files`: the templates of other systems' prompt files, or why there are none."""
        contents = {path: base64.b64encode(content).decode("ascii") for path, content in files.items()}
        seconds = cpu_seconds or self.cpu_seconds + sum(map(len, files.values())) / _BYTES_A_SECOND
        results = self.call("read_templates", {"files": contents, "source_format": source_format}, seconds=seconds)
        return [FileResult.from_dict(result) for result in results]

    def read_pasted_prompt(
        self, text: str, *, as_document: bool = False, cpu_seconds: float | None = None
    ) -> PastedPrompt | None:
        """As `pasted.read_pasted_prompt`: how a text pasted into a part could be written; None to leave it as it is."""
        seconds = cpu_seconds or self.cpu_seconds + len(text) / _BYTES_A_SECOND
        answer = self.call("read_pasted_prompt", {"text": text, "as_document": as_document}, seconds=seconds)
        return PastedPrompt(**{**answer, "differences": tuple(answer["differences"])}) if answer else None

    def convert_document(
        self, form: str, document: str, name: str, fragments: Mapping[str, str], *, cpu_seconds: float | None = None
    ) -> ExportResult:
        """As `writing.convert_document`: the document in another system's format, and what it leaves out."""
        arguments = {"form": form, "document": document, "name": name, "fragments": dict(fragments)}
        result = self.call("convert_document", arguments, seconds=cpu_seconds)
        return ExportResult(result["text"], tuple(result["losses"]), result["refusal"])

    def edit_lines(
        self,
        document: str,
        data: Mapping[str, Any],
        *,
        part: int,
        line: int,
        end_line: int,
        text: str,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
    ) -> LineEdit | RefusedEdit | None:
        """As `origins.line_edits.edit_rendered_lines`; None if the prompt has no such lines."""
        sources = {"document": document, "fragments": fragments, "profile": profile}
        lines = {"part": part, "line": line, "end_line": end_line, "text": text}
        # Up to four renderings: before, for the trace, and one after each of two ways to edit.
        seconds = 4 * self.cpu_seconds
        answer = self.call("edit_lines", {**sources, "data": data, "lines": lines}, seconds=seconds)
        if "edit" in answer:
            return LineEdit(**answer["edit"])
        return RefusedEdit(**answer["refused"]) if answer else None

    def compare(self, old_bundle: Mapping[str, Any], new_bundle: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return `Change.to_dict()` of every difference between two bundles, as found by `renderer.compare`."""
        request = {"old": old_bundle, "new": new_bundle, "document": str(new_bundle.get("document", ""))}
        changes: list[dict[str, Any]] = self.call("compare", request)
        return changes

    def list_required_inputs(
        self,
        document: str,
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
    ) -> list[str]:
        """Return the names of the required inputs."""
        names: list[str] = self.call(
            "list_required_inputs", {"document": document, "fragments": fragments, "profile": profile}
        )
        return names

    def find_input_errors(
        self,
        document: str,
        rows: Mapping[str, Mapping[str, Any]],
        *,
        fragments: Mapping[str, str] | None = None,
        profile: Mapping[str, Any] | str | None = None,
    ) -> dict[str, InputError]:
        """Return the InputErrors of rows of data by name, in one child; rows without an error are left out.

        No prompt is fitted, counted or returned, which takes a third of the time of `render_samples`.
        """
        sources = {"document": document, "fragments": fragments, "profile": profile}
        seconds = self.cpu_seconds + 0.1 * len(rows)
        faults = self.call("find_input_errors", {**sources, "rows": rows}, seconds=seconds)
        named_errors = ((name, errors.from_dict(fault)) for name, fault in faults.items())
        return {name: error for name, error in named_errors if isinstance(error, InputError)}

    def check_schema(self, schema: Any, value: Any = None, *, cpu_seconds: float | None = None) -> str | None:
        """Check a JSON Schema, and a value against it if given. Returns the error, or None."""
        message: str | None = self.call("check_schema", {"schema": schema, "value": value}, seconds=cpu_seconds)
        return message

    def probe(self) -> list[str]:
        """List what a child can still do on this machine that no rendering needs, such as "open sockets"."""
        mechanisms: list[str] = self.call("probe", {})
        return mechanisms
