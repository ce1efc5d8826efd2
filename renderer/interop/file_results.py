"""The results of reading files, with distinct names for their templates."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from promptuary.renderer.interop.imported import Difference, ImportedTemplate, LossError, slugify
from promptuary.renderer.interop.source_file import SourceFile

__all__ = ["FileResult", "name_apart"]


@dataclass(frozen=True)
class FileResult:
    """The result of reading one file: its templates, or why it has none and on which line."""

    path: str
    templates: tuple[ImportedTemplate, ...] = ()
    refusal: str = ""
    line: int | None = None
    holds_secret: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> "FileResult":
        """Rebuild a result from `to_dict()`."""
        templates = tuple(
            ImportedTemplate(
                **{**template, "differences": tuple(Difference(**entry) for entry in template["differences"])}
            )
            for template in value["templates"]
        )
        return cls(value["path"], templates, value["refusal"], value["line"], value["holds_secret"])


def name_apart(results: list[FileResult]) -> list[FileResult]:
    """Make template names unique across files, by adding folders or file names where several files use one name."""
    return _name_by_files(_prefix_folders(results))


def _name_by_files(results: list[FileResult]) -> list[FileResult]:
    """Name single templates after their files, if several files of one folder use the same name."""
    files_of_name = _group_by_name(results)
    return [
        _name_by_file(result)
        if len(result.templates) == 1 and len(files_of_name[result.templates[0].name]) > 1
        else result
        for result in results
    ]


def _name_by_file(result: FileResult) -> FileResult:
    """Use the file's name as the last segment of its template's name, if it makes a valid name."""
    (template,) = result.templates
    folder, slash, last = template.name.rpartition("/")
    try:
        name = slugify(f"{folder}{slash}{SourceFile(result.path, '').stem}")
    except LossError:
        return result
    if name == template.name:
        return result
    note = Difference(f"it is named after its file, because another file has a prompt called {last} too")
    return replace(result, templates=(replace(template, name=name, differences=(note, *template.differences)),))


def _prefix_folders(results: list[FileResult]) -> list[FileResult]:
    """Put folders before the template names that files in several folders share."""
    folders_of_name = _group_by_name(results, lambda path: path.rpartition("/")[0])
    renamed = []
    for result in results:
        folder = result.path.rpartition("/")[0].strip("/")
        templates = [
            replace(template, name=slugify(f"{folder}/{template.name}"))
            if folder and len(folders_of_name[template.name]) > 1
            else template
            for template in result.templates
        ]
        renamed.append(replace(result, templates=tuple(templates)))
    return renamed


def _group_by_name(results: list[FileResult], source_of: Callable[[str], str] = str) -> dict[str, set[str]]:
    """Map each template name to `source_of` of the paths of the files that it is in."""
    sources: dict[str, set[str]] = {}
    for result in results:
        for template in result.templates:
            sources.setdefault(template.name, set()).add(source_of(result.path))
    return sources
