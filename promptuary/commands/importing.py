"""`promptuary import`: prompts of other systems as documents, on disk or as versions of the registry."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePath
from typing import Annotated, Any

import typer

from promptuary import renderer
from promptuary.commands.api import Connection
from promptuary.commands.langfuse_server import read_server
from promptuary.commands.output import Finding, Json, Key, Url, UsageError, answering, say, write_json
from promptuary.errors import NotFound
from promptuary.interop import detection
from promptuary.interop.imported import Imported, LossError, slugify
from promptuary.names import check_name
from promptuary.renderer.syntax import yaml_writer
from promptuary.workspace import Workspace, read_document_text

__all__ = ["import_prompts"]


class Source(StrEnum):
    """What the files are."""

    content = "content"
    haystack = "haystack"
    prompt_poet = "prompt-poet"
    prompty = "prompty"
    langfuse = "langfuse"
    mlflow = "mlflow"
    python = "python"
    folder = "folder"


Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE...", help="Files, or folders with all that is in them; of a server, names of prompts."
    ),
]
From = Annotated[Source, typer.Option("--from", help="What they are; told by their content if not given.")]
Namespace = Annotated[str, typer.Option("--namespace", "-n", help="Where the templates go.")]
Name = Annotated[str, typer.Option("--name", help="The template's name below the namespace, for a single prompt.")]
Folder = Annotated[Path, typer.Option("--dir", "-C", help="Write the documents below this folder.")]
Push = Annotated[bool, typer.Option("--push", help="Save them as versions of the registry instead.")]
Force = Annotated[bool, typer.Option("--force", help="Write over files that say something else.")]
SourceUrl = Annotated[
    str,
    typer.Option("--source-url", help="Read from this Langfuse server; its keys from the environment, see the docs."),
]
SourceLabel = Annotated[str, typer.Option("--source-label", help="Its label to read; the newest versions if none.")]
PublicKey = Annotated[
    str,
    typer.Option(
        "--source-public-key", envvar="LANGFUSE_PUBLIC_KEY", help="That server's public key.", show_envvar=True
    ),
]
SecretKey = Annotated[
    str,
    typer.Option(
        "--source-secret-key", envvar="LANGFUSE_SECRET_KEY", help="That server's secret key.", show_envvar=True
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")]


@dataclass(frozen=True)
class Planned:
    """One prompt on its way in. `state` is `new`, `changed` or `unchanged`; `digest` is what it would be saved over."""

    name: str
    imported: Imported
    source: str
    state: str = "new"
    digest: str = ""
    version: int | None = None


def import_prompts(  # noqa: PLR0913, PLR0917  # an argument an option of the command
    namespace: Namespace,
    files: Files = None,
    source: From = Source.content,
    name: Name = "",
    folder: Folder = Path(),
    push: Push = False,
    force: Force = False,
    source_url: SourceUrl = "",
    source_label: SourceLabel = "",
    public_key: PublicKey = "",
    secret_key: SecretKey = "",
    dry_run: DryRun = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Bring prompts in. All or none; the same again changes nothing; no label is moved."""
    with answering(as_json):
        if source_url:
            if source not in (Source.content, Source.langfuse):
                raise UsageError(f"--source-url is a Langfuse server, not {source}")
            prompts = read_server(source_url, public_key, secret_key, files or [], source_label)
        else:
            prompts = list(_read([Path(file) for file in files or []], source))
        planned = _named(prompts, namespace, name)
        if push:
            with Connection(url, key) as connection:
                results = [_tell(_save(connection, _held(connection, item), dry_run), dry_run) for item in planned]
        else:
            plan = [_on_disk(Workspace(folder), item) for item in planned]
            _refuse_changed(plan, force=force, dry_run=dry_run)
            results = [_tell(_write(Workspace(folder), item, dry_run), dry_run) for item in plan]
        if as_json:
            write_json({"imported": results})
            return
        for result in results:
            say(f"{result['name']}  {result['result']}  ({result['source']})")
            for note in result["notes"]:
                say(f"  {note}", "yellow")


def _read(files: list[Path], source: Source) -> Iterator[tuple[str, Imported]]:
    """Every prompt of every file. Raises Finding, with all the refusals, if there is any."""
    if not files:
        raise UsageError("name files or folders, or a server by --source-url")
    refusals = []
    for path, root in _paths(files):
        kind = source.value if source not in (Source.content, Source.folder) else detection.detect_kind(path)
        try:
            if kind is None:
                raise LossError("its content does not say what it is; say so with --from")
            yield from ((str(path), imported) for imported in list(detection.read_prompts(path, kind, root)))
        except LossError as error:
            refusals.append(f"{path}: {error}")
    if refusals:
        raise Finding("nothing is imported. " + "\n".join(refusals))


def _paths(files: list[Path]) -> Iterator[tuple[Path, Path | None]]:
    for path in files:
        if path.is_dir():
            inside = (item for item in sorted(path.rglob("*")) if not _is_hidden(item.relative_to(path)))
            yield from ((item, path) for item in inside if item.is_file() and detection.has_readable_suffix(item))
        elif path.is_file():
            yield path, None
        else:
            raise UsageError(f"{path}: no such file or folder")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _named(prompts: list[tuple[str, Imported]], namespace: str, name: str) -> list[Planned]:
    if not prompts:
        raise Finding("there is no prompt in what was given")
    if name and len(prompts) > 1:
        raise UsageError(f"--name is for a single prompt; these are {len(prompts)}")
    planned = [
        Planned(check_name(f"{namespace}/{slugify(name) if name else item.path}"), item, path) for path, item in prompts
    ]
    for index, item in enumerate(planned):
        other = next((before for before in planned[:index] if before.name == item.name), None)
        if other is not None:
            raise Finding(f"{other.source} and {item.source} would both become {item.name}; import one with --name")
    return planned


def _on_disk(workspace: Workspace, item: Planned) -> Planned:
    path = workspace.document_path(item.name)
    if not path.exists():
        return item
    same = read_document_text(path) == item.imported.document
    return Planned(item.name, item.imported, item.source, "unchanged" if same else "changed")


def _refuse_changed(plan: list[Planned], *, force: bool, dry_run: bool) -> None:
    changed = [item.name for item in plan if item.state == "changed"]
    if changed and not force and not dry_run:
        raise Finding(f"nothing is imported. There are other files of these names: {', '.join(changed)}; see --force")


def _write(workspace: Workspace, item: Planned, dry_run: bool) -> Planned:
    if item.state == "unchanged" or dry_run:
        return item
    path = workspace.document_path(item.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(item.imported.document.encode())
    if item.imported.samples:
        workspace.samples_path(item.name).write_bytes(yaml_writer.write_yaml(item.imported.samples).encode())
    return item


def _held(connection: Connection, item: Planned) -> Planned:
    """What the registry has of it: a version that said the same once makes it unchanged, whatever came after."""
    try:
        latest = connection.get(f"templates/{item.name}")["latest"]
    except NotFound:
        return item
    if latest is None:
        return item
    newest = connection.get(f"templates/{item.name}@{latest['version']}")
    if newest["document"] == item.imported.document:
        return Planned(item.name, item.imported, item.source, "unchanged", version=latest["version"])
    digest = _digest(item.imported.document, newest["fragments"])
    for entry in connection.pages(f"templates/{item.name}/-/versions"):
        if entry["digest"] == digest:
            return Planned(item.name, item.imported, item.source, "unchanged", version=entry["version"])
    return Planned(item.name, item.imported, item.source, "changed", digest=latest["digest"])


def _digest(document: str, fragments: dict[str, str]) -> str | None:
    try:
        return renderer.load(document, fragments=fragments).digest
    except renderer.RenderError:
        return None


def _save(connection: Connection, item: Planned, dry_run: bool) -> Planned:
    if item.state == "unchanged" or dry_run:
        return item
    body: dict[str, Any] = {"document": item.imported.document, "message": f"Import {PurePath(item.source).name}"}
    if item.imported.samples:
        body["samples"] = item.imported.samples
    headers = {"If-Match": f'"{item.digest}"'} if item.digest else {}
    answer = connection.call("PUT", f"templates/{item.name}", body, headers)
    return Planned(item.name, item.imported, item.source, item.state, answer["digest"], answer["version"])


def _tell(item: Planned, dry_run: bool) -> dict[str, Any]:
    state_words = {"new": "would be new" if dry_run else "new", "changed": "would change" if dry_run else "changed"}
    version = {"version": item.version} if item.version is not None else {}
    return {
        "name": item.name,
        "result": state_words.get(item.state, item.state),
        "source": item.source,
        "notes": list(item.imported.notes),
        **version,
    }
