"""An MCP server of prompts: lists a label's templates, renders one with arguments, completes argument values.

MCP only has text arguments, and messages of a user or an assistant. So an argument of a declared type other than text
is written as JSON, and a system part becomes the first user message, as in MCP's own examples.
"""

import json
from collections.abc import Mapping
from typing import Any

import anyio.to_thread
import uvicorn
from mcp import MCPError, types
from mcp.server import CacheHint, Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from promptuary import renderer
from promptuary.client import Promptuary
from promptuary.commands.api import Connection
from promptuary.errors import NotAllowed, NotFound, PromptuaryError
from promptuary.version import VERSION

__all__ = ["PromptServer", "serve_http", "serve_stdio"]

PAGE = "50"
MAX_VALUES = 100  # MCP's limit for completions
Context = ServerRequestContext[Any]


class PromptServer:
    """The handlers of the three calls, on top of a connection to a registry. `ref` is the label or version served."""

    def __init__(self, connection: Connection, ref: str = "production") -> None:
        self._connection, self._ref = connection, ref
        self._client: Promptuary = connection.client
        self.server: Server[Any] = Server(
            "promptuary",
            title="Promptuary",
            version=VERSION,
            on_list_prompts=self.list_prompts,
            on_get_prompt=self.get_prompt,
            on_completion=self.complete,
            cache_hints={"prompts/list": CacheHint(ttl_ms=60_000, scope="private")},
        )

    async def list_prompts(
        self, _context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        """Return a page of the templates that carry the label."""
        return await anyio.to_thread.run_sync(self._list, params.cursor if params else None)

    async def get_prompt(self, _context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """Return the template's messages with the arguments filled in."""
        return await anyio.to_thread.run_sync(self._get, params.name, params.arguments or {})

    async def complete(self, _context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Return the values that an argument may have, if its schema lists them."""
        values: list[str] = []
        if isinstance(params.ref, types.PromptReference):
            values = await anyio.to_thread.run_sync(self._complete, params.ref.name, params.argument)
        completion = types.Completion(values=values[:MAX_VALUES], total=len(values), has_more=len(values) > MAX_VALUES)
        return types.CompleteResult(completion=completion)

    def _list(self, cursor: str | None) -> types.ListPromptsResult:
        query = {"limit": PAGE, **({"label": self._ref} if not self._ref.isdigit() else {})}
        page = self._connection.get("templates", **query, **({"cursor": cursor} if cursor else {}))
        prompts = [prompt for row in page["results"] if (prompt := self._describe(row["name"]))]
        return types.ListPromptsResult(prompts=prompts, next_cursor=page.get("next") or None)

    def _describe(self, name: str) -> types.Prompt | None:
        try:
            document = self._client.get(name, self._ref).document
        except (NotFound, NotAllowed):
            return None  # the label has been removed since, or the key may not read its version
        arguments = [
            types.PromptArgument(name=argument, description=_describe_schema(schema), required="default" not in schema)
            for argument, schema in (document.inputs or {}).items()
        ]
        return types.Prompt(name=name, description=document.description or None, arguments=arguments)

    def _get(self, name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
        try:
            template = self._client.get(name, self._ref)
            prompt = template.render(_parse_arguments(template, arguments))
        except (PromptuaryError, renderer.RenderError) as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        messages = [_build_message(message) for message in prompt.messages]
        return types.GetPromptResult(description=template.document.description or None, messages=messages)

    def _complete(self, name: str, argument: types.CompletionArgument) -> list[str]:
        try:
            inputs = self._client.get(name, self._ref).document.inputs or {}
        except PromptuaryError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        schema = inputs.get(argument.name, {})
        values = [True, False] if schema.get("type") == "boolean" else schema.get("enum", [])
        texts = [value if isinstance(value, str) else json.dumps(value) for value in values]
        return [text for text in texts if text.startswith(argument.value)]


async def serve_stdio(server: Server[Any]) -> None:
    """Serve on standard input and output until they close."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_http(server: Server[Any], port: int) -> None:
    """Serve streamable HTTP at http://127.0.0.1:<port>/mcp until interrupted."""
    app = server.streamable_http_app(stateless_http=True)
    await uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning")).serve()


def _parse_arguments(template: renderer.Template, arguments: Mapping[str, str]) -> dict[str, Any]:
    """Convert arguments to the declared types: text as it is, anything else parsed as JSON."""
    inputs = template.document.inputs or {}
    return {name: _read(name, value, inputs.get(name, {})) for name, value in arguments.items()}


def _read(name: str, value: str, schema: Mapping[str, Any]) -> Any:
    if schema.get("type", "string") == "string":
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise MCPError(types.INVALID_PARAMS, f"{name} is {schema['type']}: write it as JSON ({error})") from error


def _build_message(message: Mapping[str, Any]) -> types.PromptMessage:
    content = message["content"]
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    role: Any = "assistant" if message["role"] == "assistant" else "user"
    return types.PromptMessage(role=role, content=types.TextContent(type="text", text=text))


def _describe_schema(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "any")
    description = schema.get("description", "")
    if kind == "string":
        return description or "text"
    return f"{description} (JSON, {kind})".strip()
