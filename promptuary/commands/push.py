"""`promptuary push`: what changed on disk as versions of the registry."""

from pathlib import Path
from typing import Annotated, Any

import typer

from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.output import (
    FINDINGS,
    Json,
    Key,
    Url,
    UsageError,
    handle_errors,
    print_line,
    summarize_refusal,
    write_json,
)
from promptuary.commands.review import propose_version
from promptuary.errors import Conflict, NotAllowed, Refused
from promptuary.names import check_name
from promptuary.workspace import DOCUMENT, Pulled, Workspace, find_documents, read_document_text, read_samples

__all__ = ["push"]

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME", help="Templates to push. Default: all that changed.", autocompletion=complete_name),
]
Folder = Annotated[Path, typer.Option("--dir", "-C", help="Folder that was pulled into.")]
Message = Annotated[str, typer.Option("--message", "-m", help="Message for the history: what changed.")]
Label = Annotated[str, typer.Option("--propose", help="Label to open or update a change request for.")]
DryRun = Annotated[bool, typer.Option("--dry-run", "-n", help="Show what would be pushed; change nothing.")]


def push(
    names: Names = None,
    message: Message = "",
    label: Label = "",
    folder: Folder = Path(),
    dry_run: DryRun = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Save changed documents and samples as new versions. Refused if somebody else saved in between."""
    with handle_errors(as_json):
        workspace = Workspace(folder)
        changed_files = _list_changed(workspace, names)
        if dry_run:
            results = [{"name": name, "result": "would be pushed"} for name in changed_files]
        else:
            with Connection(url, key) as connection:
                results = [_try_to_push(connection, workspace, name, message, label) for name in changed_files]
        if as_json:
            write_json({"pushed": results})
        elif not results:
            print_line("nothing has changed")
        for result in [] if as_json else results:
            _print_result(result)
    if any("error" in result for result in results):
        raise typer.Exit(FINDINGS)


def _list_changed(workspace: Workspace, names: list[str] | None) -> list[str]:
    pulled = workspace.read_pulled()
    paths = find_documents([workspace.folder])
    local_names = [path.relative_to(workspace.folder).as_posix().removesuffix(DOCUMENT) for path in paths]
    missing = [name for name in names or [] if check_name(name) not in local_names]
    if missing:
        raise UsageError(f"no such document below {workspace.folder}: {', '.join(missing)}")
    return [check_name(name) for name in names or local_names if workspace.is_edited(name, pulled.get(name))]


def _try_to_push(connection: Connection, workspace: Workspace, name: str, message: str, label: str) -> dict[str, Any]:
    """Push one template. If it is refused, its file stays as it is and the others are still pushed."""
    try:
        return _push(connection, workspace, name, message, label)
    except NotAllowed as error:
        if error.status == 401:
            raise
        return {"name": name, "result": "refused", "error": error.problem}
    except Conflict as error:
        advice = f"Your file is as it was. promptuary pull --merge {name}"
        return {"name": name, "result": "conflict", "error": error.problem, "advice": advice}
    except Refused as error:
        return {"name": name, "result": "refused", "error": error.problem}


def _print_result(result: dict[str, Any]) -> None:
    version = f"@{result['version']}" if "version" in result else ""
    change = f"  change {result['change']}" if "change" in result else ""
    print_line(f"{result['name']}{version}  {result['result']}{change}", "red" if "error" in result else "")
    problems = result.get("error", {}).get("problems") or result.get("problems") or []
    if "error" in result:
        error = result["error"]
        summary = summarize_refusal(str(error.get("detail") or error.get("title")), error)
        print_line(f"  {summary} {result.get('advice', '')}".rstrip())
    for problem in problems:
        print_line(f"  line {problem.get('line')}: {problem.get('message')}")


def _push(connection: Connection, workspace: Workspace, name: str, message: str, label: str) -> dict[str, Any]:
    pulled = workspace.read_pulled().get(name)
    path = workspace.document_path(name)
    body: dict[str, Any] = {"document": read_document_text(path), "message": message}
    samples = read_samples(path)
    if samples or pulled is None or pulled.samples is not None:  # without samples before and now, leave them out
        body["samples"] = samples
    answer = connection.call("PUT", f"templates/{name}", body, _describe_base(pulled))
    workspace.remember(name, answer["version"], answer["digest"])
    is_new = pulled is None or answer["digest"] != pulled.digest
    result = {
        "name": name,
        "version": answer["version"],
        "digest": answer["digest"],
        "result": "saved" if is_new else "samples saved",
        "problems": answer["problems"],
    }
    if label:
        result["change"] = propose_version(connection, name, label, answer["version"], message)["number"]
    return result


def _describe_base(pulled: Pulled | None) -> dict[str, str]:
    return {"If-Match": f'"{pulled.digest}"'} if pulled else {}
