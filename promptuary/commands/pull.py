"""`promptuary pull`: templates of the registry as files."""

from pathlib import Path
from typing import Annotated, Any

import typer

from promptuary._fetching import Fetched
from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.output import (
    FINDINGS,
    Finding,
    Json,
    Key,
    Url,
    UsageError,
    handle_errors,
    print_line,
    write_json,
)
from promptuary.errors import NotAllowed, NotFound
from promptuary.names import split_target
from promptuary.renderer.syntax.three_way_merge import merge_texts
from promptuary.workspace import Workspace, read_document_text

__all__ = ["pull"]

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME[@REF]|NAMESPACE",
        help="Templates or namespaces to pull. Default: all that were pulled before.",
        autocompletion=complete_name,
    ),
]
Folder = Annotated[Path, typer.Option("--dir", "-C", help="Folder to write to.")]
Merge = Annotated[bool, typer.Option("--merge", help="Merge your edits with the versions saved since.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that you edited.")]


def pull(
    names: Names = None,
    folder: Folder = Path(),
    merge: Merge = False,
    force: Force = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Write templates, their samples and their fragments to files. Without @REF: the latest version."""
    with handle_errors(as_json), Connection(url, key) as connection:
        workspace = Workspace(folder)
        pulled = workspace.read_pulled()
        targets = _list_targets(connection, names or list(pulled))
        if not targets:
            raise UsageError("nothing to pull: name a template or a namespace")
        edited = [name for name, _ in targets if workspace.is_edited(name, pulled.get(name))]
        if edited and not (force or merge):
            raise Finding(f"edited here since they were pulled (push them, --merge or --force): {', '.join(edited)}")
        results = [
            (_merge if merge and name in edited else _pull)(connection, workspace, name, ref) for name, ref in targets
        ]
        for namespace in sorted({name.partition("/")[0] for name, _ in targets}):
            _pull_standards(connection, workspace, namespace)
        if as_json:
            write_json({"pulled": results})
        else:
            for result in results:
                print_line(
                    f"{result['path']}  {result['name']}@{result['version']}  {result.get('result', '')}".rstrip()
                )
    conflicts = sum(result.get("conflicts", 0) for result in results)
    if conflicts:
        if not as_json:
            print_line(
                f"{conflicts} conflict{'s' if conflicts != 1 else ''} between <<<<<<< and >>>>>>>: decide, then push"
            )
        raise typer.Exit(FINDINGS)


def _list_targets(connection: Connection, names: list[str]) -> list[tuple[str, str]]:
    targets = []
    for name in names:
        if "/" in name:
            targets.append(split_target(name, "latest"))
        else:
            listing = connection.pages("templates", namespace=name)
            targets += [(str(template["name"]), "latest") for template in listing]
    return targets


def _pull(connection: Connection, workspace: Workspace, name: str, ref: str) -> dict[str, Any]:
    fetched, samples = _fetch(connection, name, ref)
    path = workspace.write(_read_body(fetched), samples)
    return _describe_result(fetched, path)


def _merge(connection: Connection, workspace: Workspace, name: str, ref: str) -> dict[str, Any]:
    """Merge an edited document with versions saved since. One that was never pulled is merged from an empty base."""
    fetched, samples = _fetch(connection, name, ref)
    pulled = workspace.read_pulled().get(name)
    path = workspace.document_path(name)
    if pulled is not None and pulled.digest == fetched.digest:
        return {**_describe_result(fetched, path), "result": "edited, nothing to merge"}
    try:
        base = connection.client.get(name, pulled.digest).document.text if pulled is not None else ""
    except NotFound:
        base = ""
    fetched_text = fetched.template.document.text
    names = {"our_name": "yours", "their_name": f"version {fetched.version}"}
    merged = merge_texts(base, read_document_text(path), fetched_text, **names)
    conflicts = len(merged.conflicts)
    workspace.bring_in(_read_body(fetched), merged.text, samples)
    result = f"{conflicts} conflict{'s' if conflicts != 1 else ''}" if conflicts else "merged"
    return {**_describe_result(fetched, path), "result": result, "conflicts": conflicts}


def _pull_standards(connection: Connection, workspace: Workspace, namespace: str) -> None:
    """Store the namespace's standards for `lint`. A key without access leaves the stored ones as they are."""
    try:
        rules = connection.get(f"namespaces/{namespace}")["rules"]
    except (NotAllowed, NotFound):
        return
    workspace.write_standards(namespace, rules.get("standards", {}))  # missing from older registries


def _fetch(connection: Connection, name: str, ref: str) -> tuple[Fetched, dict[str, Any] | None]:
    """Fetch the version and the template's samples; None for samples that the key may not read."""
    fetched = connection.client.fetch(name, ref)
    try:
        samples = connection.get(f"templates/{name}/-/samples")["samples"]
    except NotAllowed:
        print_line(f"{name}: without its samples, which this key may not read")
        samples = None
    return fetched, samples


def _read_body(fetched: Fetched) -> dict[str, Any]:
    facts = {"name": fetched.name, "version": fetched.version, "digest": fetched.digest}
    return {**facts, **fetched.template.bundle()}


def _describe_result(fetched: Fetched, path: Path) -> dict[str, Any]:
    return {"name": fetched.name, "version": fetched.version, "digest": fetched.digest, "path": str(path)}
