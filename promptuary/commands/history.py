"""`promptuary log`: the history of a template."""

from itertools import islice
from typing import Annotated

import typer

from promptuary.commands.api import Connection
from promptuary.commands.completion import complete_name
from promptuary.commands.output import Json, Key, Url, answering, write_json, write_text
from promptuary.names import check_name

__all__ = ["log"]

Name = Annotated[str, typer.Argument(metavar="NAME", help="The template.", autocompletion=complete_name)]
Count = Annotated[int, typer.Option("--count", "-n", min=1, help="How many versions at most.")]


def log(name: Name, count: Count = 20, as_json: Json = False, url: Url = "", key: Key = "") -> None:
    """The versions of a template, newest first."""
    with answering(as_json), Connection(url, key) as connection:
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
