"""`promptuary import`: prompts of other systems as documents, on disk or as versions of the registry."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Annotated, Any

import typer

from promptuary import renderer
from promptuary.commands.api import Connection
from promptuary.commands.langfuse_server import read_server
from promptuary.commands.output import Finding, Json, Key, Url, UsageError, handle_errors, print_line, write_json
from promptuary.errors import NotFound
from promptuary.names import check_name
from promptuary.renderer.files import save_file
from promptuary.renderer.interop import own_document, reading
from promptuary.renderer.interop.archives import is_zip
from promptuary.renderer.interop.imported import ImportedTemplate, LossError, check_imported, slugify
from promptuary.renderer.interop.source_file import read_source_file
from promptuary.renderer.syntax import yaml_writer
from promptuary.workspace import DOCUMENT, Workspace, read_document_text, read_samples

__all__ = ["import_prompts"]

SourcedPrompt = tuple[str, ImportedTemplate]
"""A prompt and the path or address it comes from."""


Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE...", help="Files or folders to import. With --source-url: names of prompts on that server."
    ),
]
From = Annotated[
    str,
    typer.Option(
        "--from", help="Format of the files, or template language of a plain text. Default: recognised by the content."
    ),
]
Skip = Annotated[bool, typer.Option("--skip-refused", help="Import the other files if some are refused.")]
Namespace = Annotated[str, typer.Option("--namespace", help="Namespace or folder to import into, such as support.")]
Name = Annotated[str, typer.Option("--name", help="Name of the template in the namespace. Only for a single prompt.")]
Folder = Annotated[Path, typer.Option("--dir", "-C", help="Folder to write the documents to.")]
Push = Annotated[bool, typer.Option("--push", help="Save the templates in the registry instead of writing files.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files with another content.")]
SourceUrl = Annotated[
    str,
    typer.Option("--source-url", help="Address of a Langfuse server to import from. It needs both keys of the server."),
]
SourceLabel = Annotated[
    str, typer.Option("--source-label", help="Label on the Langfuse server to read. Default: the newest versions.")
]
PublicKey = Annotated[
    str,
    typer.Option(
        "--source-public-key", envvar="LANGFUSE_PUBLIC_KEY", help="Public key of the Langfuse server.", show_envvar=True
    ),
]
SecretKey = Annotated[
    str,
    typer.Option(
        "--source-secret-key", envvar="LANGFUSE_SECRET_KEY", help="Secret key of the Langfuse server.", show_envvar=True
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would be imported; change nothing.")]


@dataclass(frozen=True)
class Planned:
    """One prompt to import. `state` is `new`, `changed` or `unchanged`; `digest` is the version it would replace."""

    name: str
    imported: ImportedTemplate
    source: str
    state: str = "new"
    digest: str = ""
    version: int | None = None


def import_prompts(  # noqa: PLR0913, PLR0917  # an argument an option of the command
    namespace: Namespace,
    files: Files = None,
    source: From = "",
    name: Name = "",
    folder: Folder = Path(),
    push: Push = False,
    force: Force = False,
    source_url: SourceUrl = "",
    source_label: SourceLabel = "",
    public_key: PublicKey = "",
    secret_key: SecretKey = "",
    skip_refused: Skip = False,
    dry_run: DryRun = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Import prompts of other systems: all of them or none. Labels don't move, and importing again changes nothing."""
    refusals: list[str] = []
    with handle_errors(as_json):
        if source_url:
            if source not in ("", "content", "langfuse"):
                raise UsageError(f"--source-url is a Langfuse server, not {source}")
            prompts = read_server(source_url, public_key, secret_key, files or [], source_label)
        else:
            prompts, refusals = _read_prompts([Path(file) for file in files or []], source, skip_refused=skip_refused)
        planned = _name_prompts(prompts, namespace, name)
        if push:
            with Connection(url, key) as connection:
                results = [
                    _describe_result(
                        _save_version(connection, _compare_with_registry(connection, item), dry_run), dry_run
                    )
                    for item in planned
                ]
        else:
            plan = [_compare_with_disk(Workspace(folder), item) for item in planned]
            _refuse_changed(plan, force=force, dry_run=dry_run)
            results = [_describe_result(_write_files(Workspace(folder), item, dry_run), dry_run) for item in plan]
        if as_json:
            write_json({"imported": results, **({"refused": refusals} if refusals else {})})
            return
        for result in results:
            print_line(f"{result['name']}  {result['result']}  ({result['source']})")
            for note in result["notes"]:
                print_line(f"  {note}", "yellow")
        for refusal in refusals:
            print_line(f"refused: {refusal}", "red")


def _read_prompts(
    files: list[Path], source_format: str, *, skip_refused: bool
) -> tuple[list[SourcedPrompt], list[str]]:
    """Read every prompt of every file, and the refusals. Raises Finding for a refusal that may not be skipped."""
    if not files:
        raise UsageError("name files or folders, or a server by --source-url")
    source_format = "" if source_format in ("content", "folder") else source_format
    imports: list[SourcedPrompt] = []
    refusals: list[str] = []
    others: dict[str, bytes] = {}
    for path, root in _list_paths(files):
        name = path.relative_to(root).as_posix() if root else path.name
        try:
            document = _read_document(path, name, source_format)
        except LossError as error:
            refusals.append(f"{path}: {error}")
            continue
        if document is not None:
            imports.append((str(path), document))
        elif root is None:
            _add_results(reading.read_files({name: path.read_bytes()}, source_format), path.parent, imports, refusals)
        else:
            others[str(path)] = path.read_bytes()
    _add_results(reading.read_files(others, source_format), Path(), imports, refusals)
    if refusals and not skip_refused:
        raise Finding("nothing is imported. " + "\n".join(refusals))
    return imports, refusals


def _add_results(
    results: list[reading.FileResult], folder: Path, templates: list[SourcedPrompt], refusals: list[str]
) -> None:
    for result in results:
        path = folder / result.path
        if result.refusal:
            line = f"line {result.line}: " if result.line else ""
            refusals.append(f"{path}: {line}{result.refusal}")
        templates += [(str(path), template) for template in result.templates]


def _read_document(path: Path, name: str, source_format: str) -> ImportedTemplate | None:
    """Read a Promptuary document, unchanged, and the samples next to it; None for any other file."""
    content = path.read_bytes()
    if is_zip(content) or source_format not in ("", own_document.KIND):
        return None
    source = read_source_file(name, content)
    detected = reading.detect_format(source)
    if not source_format and (detected is None or detected.name != own_document.KIND):
        return None
    workspace = Workspace.around(path)
    fragments = workspace.read_fragments() if workspace else {}
    (imported,) = own_document.read_own_document(source, fragments=fragments)
    samples = read_samples(path) if path.name.endswith(DOCUMENT) else {}
    checked = replace(imported, document=read_document_text(path), samples=samples)
    return check_imported(checked, fragments=fragments)


def _list_paths(files: list[Path]) -> Iterator[tuple[Path, Path | None]]:
    """Yield each readable file with the folder it was found in, None if it was named itself."""
    for path in files:
        if path.is_dir():
            inside = (item for item in sorted(path.rglob("*")) if not _is_hidden(item.relative_to(path)))
            yield from ((item, path) for item in inside if item.is_file() and reading.has_readable_suffix(item.name))
        elif path.is_file():
            yield path, None
        else:
            raise UsageError(f"{path}: no such file or folder")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _name_prompts(prompts: list[SourcedPrompt], namespace: str, name: str) -> list[Planned]:
    """Give each prompt its name in the namespace. Raises Finding if there is none, or if two get the same name."""
    if not prompts:
        raise Finding("there is no prompt in what was given")
    if name and len(prompts) > 1:
        raise UsageError(f"--name is for a single prompt; these are {len(prompts)}")
    planned = [
        Planned(check_name(f"{namespace}/{slugify(name) if name else item.name}"), item, path) for path, item in prompts
    ]
    for index, item in enumerate(planned):
        earlier = next((before for before in planned[:index] if before.name == item.name), None)
        if earlier is not None:
            raise Finding(f"{earlier.source} and {item.source} would both become {item.name}; import one with --name")
    return planned


def _compare_with_disk(workspace: Workspace, item: Planned) -> Planned:
    path = workspace.document_path(item.name)
    if not path.exists():
        return item
    same = read_document_text(path) == item.imported.document
    return Planned(item.name, item.imported, item.source, "unchanged" if same else "changed")


def _refuse_changed(plan: list[Planned], *, force: bool, dry_run: bool) -> None:
    changed_names = [item.name for item in plan if item.state == "changed"]
    if changed_names and not force and not dry_run:
        raise Finding(
            f"nothing is imported. There are other files of these names: {', '.join(changed_names)}; see --force"
        )


def _write_files(workspace: Workspace, item: Planned, dry_run: bool) -> Planned:
    if item.state == "unchanged" or dry_run:
        return item
    path = workspace.document_path(item.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(path, item.imported.document.encode())
    if item.imported.samples:
        text = yaml_writer.write_yaml(item.imported.samples, sort_keys=False)
        save_file(workspace.samples_path(item.name), text.encode())
    return item


def _compare_with_registry(connection: Connection, item: Planned) -> Planned:
    """The registry's state of the prompt: a past version with the same text makes it unchanged, whatever came later."""
    try:
        latest = connection.get(f"templates/{item.name}")["latest"]
    except NotFound:
        return item
    if latest is None:
        return item
    newest = connection.get(f"templates/{item.name}@{latest['version']}")
    if newest["document"] == item.imported.document:
        return Planned(item.name, item.imported, item.source, "unchanged", version=latest["version"])
    digest = _compute_digest(item.imported.document, newest["fragments"])
    for entry in connection.pages(f"templates/{item.name}/-/versions"):
        if entry["digest"] == digest:
            return Planned(item.name, item.imported, item.source, "unchanged", version=entry["version"])
    return Planned(item.name, item.imported, item.source, "changed", digest=latest["digest"])


def _compute_digest(document: str, fragments: dict[str, str]) -> str | None:
    """The digest that a version with this text would have; None if it can't be loaded."""
    try:
        return renderer.load(document, fragments=fragments).digest
    except renderer.RenderError:
        return None


def _save_version(connection: Connection, item: Planned, dry_run: bool) -> Planned:
    if item.state == "unchanged" or dry_run:
        return item
    body: dict[str, Any] = {"document": item.imported.document, "message": f"Import {PurePath(item.source).name}"}
    if item.imported.samples:
        body["samples"] = item.imported.samples
    headers = {"If-Match": f'"{item.digest}"'} if item.digest else {}
    answer = connection.call("PUT", f"templates/{item.name}", body, headers)
    return Planned(item.name, item.imported, item.source, item.state, answer["digest"], answer["version"])


def _describe_result(item: Planned, dry_run: bool) -> dict[str, Any]:
    """What happened to the prompt, or would happen, as JSON."""
    state_words = {"new": "would be new" if dry_run else "new", "changed": "would change" if dry_run else "changed"}
    version = {"version": item.version} if item.version is not None else {}
    return {
        "name": item.name,
        "result": state_words.get(item.state, item.state),
        "source": item.source,
        "format": item.imported.source_format,
        "notes": list(map(str, item.imported.differences)),
        **version,
    }
