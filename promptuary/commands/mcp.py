"""`promptuary mcp`: the registry's prompts for MCP clients."""

import importlib
from typing import Annotated

import typer

from promptuary.commands.api import Connection
from promptuary.commands.output import Key, Url, UsageError, handle_errors, print_line

__all__ = ["mcp"]

Ref = Annotated[str, typer.Option("--ref", help="Label or version of the prompts to serve.")]
Http = Annotated[
    int,
    typer.Option(
        "--http", min=0, max=65535, help="Port on 127.0.0.1 to serve HTTP on. Default: standard input and output."
    ),
]


def mcp(ref: Ref = "production", http: Http = 0, url: Url = "", key: Key = "") -> None:
    """Serve the registry's prompts to MCP clients."""
    with handle_errors(as_json=False):
        try:
            anyio = importlib.import_module("anyio")
            server = importlib.import_module("promptuary.commands.prompt_server")
        except ImportError as error:
            raise UsageError(f"{error.name} is not installed: pip install 'promptuary[mcp]'") from error
        prompts = server.PromptServer(Connection(url, key), ref).server
        if http:
            print_line(f"MCP at http://127.0.0.1:{http}/mcp")
            anyio.run(server.serve_http, prompts, http)
        else:
            anyio.run(server.serve_stdio, prompts)
