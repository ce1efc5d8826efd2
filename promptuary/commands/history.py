"""`promptuary log` and `promptuary restore`: the history of a template, and going back to a version of it."""

from itertools import islice
from typing import Annotated

import typer

from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.output import Json, Key, Url, handle_errors, print_line, write_json, write_text
from promptuary.names import check_name

__all__ = ["log", "restore"]

Name = Annotated[
    str,
    typer.Argument(
        metavar="NAME", help="Name of the template, such as support/refunds/reply.", autocompletion=complete_name
    ),
]
Version = Annotated[int, typer.Argument(metavar="VERSION", min=1, help="Number of the version to restore.")]
Message = Annotated[
    str, typer.Option("--message", "-m", help='Message for the history. Default: "Restore v3", with the version.')
]
Count = Annotated[int, typer.Option("--count", "-n", min=1, help="Maximum number of versions to list.")]


def log(name: Name, count: Count = 20, as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """List the versions of a template, newest first."""
    with handle_errors(as_json), Connection(url, key) as connection:
        pages = connection.pages(f"templates/{check_name(name)}/-/versions")
        versions = list(islice(pages, count))
        if as_json:
            write_json({"versions": versions})
            return
        for version in versions:
            labels = f" ({', '.join(version['labels'])})" if version["labels"] else ""
            subject = version["message"].partition("\n")[0]
            write_text(
                f"{version['version']:>4}  {version['created_at'][:16]}  {version['author']}{labels}  {subject}\n"
            )


def restore(
    name: Name, version: Version, message: Message = "", as_json: Json = False, url: Url = "", key: Key = ""
) -> None:
    """Save the text of an older version as a new version. Labels and samples don't change."""
    with handle_errors(as_json), Connection(url, key) as connection:
        path = f"templates/{check_name(name)}"
        newest = connection.get(path)["latest"]
        headers = {"If-Match": f'"{newest["digest"]}"'} if newest else {}
        answer = connection.call("POST", f"{path}/-/restore", {"version": version, "message": message}, headers)
        if as_json:
            write_json(answer)
        else:
            print_line(f"{answer['name']}@{answer['version']} has the text of version {version} now")
