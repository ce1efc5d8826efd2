"""`promptuary pull`: templates of the registry as files."""

from pathlib import Path
from typing import Annotated, Any

import typer

from promptuary.commands.answers import Finding, Json, Key, Url, UsageError, answering, say, write_json
from promptuary.commands.connection import Connection
from promptuary.names import split
from promptuary.workspace import Workspace

__all__ = ["pull"]

Names = Annotated[
    list[str] | None, typer.Argument(metavar="NAME[@REF]|NAMESPACE", help="What to pull; all pulled before if none.")
]
Folder = Annotated[Path, typer.Option("--dir", "-C", help="The folder to write into.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite files that were edited.")]


def pull(
    names: Names = None,
    folder: Folder = Path(),
    force: Force = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Write templates, their samples and fragments as files. Without @REF: the latest version."""
    with answering(as_json), Connection(url, key) as connection:
        workspace = Workspace(folder)
        pulled = workspace.pulled()
        targets = _targets(connection, names or list(pulled))
        if not targets:
            raise UsageError("nothing to pull: name a template or a namespace")
        edited = [name for name, _ in targets if workspace.is_edited(name, pulled.get(name))]
        if edited and not force:
            raise Finding(f"edited here since they were pulled (push them, or --force): {', '.join(edited)}")
        results = [_pull(connection, workspace, name, ref) for name, ref in targets]
        if as_json:
            write_json({"pulled": results})
        else:
            for result in results:
                say(f"{result['path']}  {result['name']}@{result['version']}")


def _targets(connection: Connection, names: list[str]) -> list[tuple[str, str]]:
    targets = []
    for name in names:
        if "/" in name:
            targets.append(split(name, "latest"))
        else:
            listing = connection.pages("templates", namespace=name)
            targets += [(str(template["name"]), "latest") for template in listing]
    return targets


def _pull(connection: Connection, workspace: Workspace, name: str, ref: str) -> dict[str, Any]:
    fetched = connection.client.fetch(name, ref)
    samples = connection.get(f"templates/{name}/-/samples")["samples"]
    body = {"name": name, "version": fetched.version, "digest": fetched.digest, **fetched.template.bundle()}
    path = workspace.write(body, samples)
    return {"name": name, "version": fetched.version, "digest": fetched.digest, "path": str(path)}
