"""`promptuary lock`: pin the templates that an application uses to digests."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.output import Finding, Json, Key, Url, UsageError, handle_errors, print_line, write_json
from promptuary.lockfile import Locked, read_lock, write_lock
from promptuary.names import split_target

__all__ = ["lock"]

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME[@REF]",
        help="Templates to lock. Default: all templates in the lock file.",
        autocompletion=complete_name,
    ),
]
File = Annotated[Path, typer.Option("--file", "-f", help="Lock file to write or compare.")]
Frozen = Annotated[
    bool,
    typer.Option("--frozen", help="Write nothing; fail if a ref points to another version than the lock file says."),
]


def lock(
    names: Names = None,
    file: File = Path("promptuary.lock"),
    frozen: Frozen = False,
    as_json: Json = False,
    url: Url = "",
    key: Key = "",
) -> None:
    """Pin templates to their current digests in a lock file. Commit it, and every build gets the same prompts."""
    with handle_errors(as_json):
        locked = read_lock(file) if file.exists() else {}
        targets = [split_target(name) for name in names or []] or [(name, entry.ref) for name, entry in locked.items()]
        if not targets:
            raise UsageError("nothing to lock: name a template")
        with Connection(url, key) as connection:
            resolved = {name: _resolve(connection, name, ref) for name, ref in targets}
        if frozen:
            _compare(locked, resolved)
        else:
            write_lock(file, {**locked, **resolved})
        _print_lock(resolved, as_json)


def _resolve(connection: Connection, name: str, ref: str) -> Locked:
    fetched = connection.client.fetch(name, ref)
    return Locked(ref, fetched.version or 0, fetched.digest)


def _compare(locked: dict[str, Locked], resolved: dict[str, Locked]) -> None:
    drift = []
    for name, entry in resolved.items():
        pin = locked.get(name)
        if pin is None:
            drift.append(f"{name} is not in the lock file")
        elif pin.digest != entry.digest:
            drift.append(f"{name}@{entry.ref}: version {pin.version} is locked, {entry.version} is served")
    if drift:
        raise Finding("; ".join(drift))


def _print_lock(resolved: dict[str, Locked], as_json: bool) -> None:
    if as_json:
        write_json({"templates": {name: asdict(entry) for name, entry in resolved.items()}})
        return
    for name, entry in sorted(resolved.items()):
        print_line(f"{name}@{entry.ref}  version {entry.version}  {entry.digest}")
