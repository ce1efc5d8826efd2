"""The arguments of a call to a prompter: the query for its slots, the history and the tools, all validated."""

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from promptuary.renderer.errors import PrompterError

__all__ = ["Query", "choose_tools", "list_history_messages", "list_history_pairs", "read_query", "write_tools"]


class Query(NamedTuple):
    """The value of each slot, and the remaining user input."""

    values: dict[str, str]
    input: Any = ""


def _join_names(names: Sequence[Any]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def read_query(query: Any, slots: Sequence[str], *, strict: bool) -> Query:
    """Distribute a query over the slots.

    A text fills the only slot, or is the input if there are no slots. A mapping has a value for each slot and at most
    one more key, the input. `strict` requires texts as the values of slots. Raises PrompterError.
    """
    if isinstance(query, Mapping):
        return _read_mapping(query, slots, strict=strict)
    if not isinstance(query, str | int):
        raise PrompterError(f"the input must be text or a mapping, not {type(query).__name__}", cause="input")
    if len(slots) > 1:
        raise PrompterError(
            f"a text can fill one slot, but the instruction has {len(slots)}: {_join_names(slots)}; give a mapping",
            cause="slots",
        )
    return Query({slots[0]: str(query)}) if slots else Query({}, query)


def _read_mapping(mapping: Mapping[Any, Any], slots: Sequence[str], *, strict: bool) -> Query:
    missing = [name for name in slots if name not in mapping]
    if missing:
        raise PrompterError(f"no value for {_join_names(missing)}", cause="keys", variable=missing[0], code="PT401")
    spare = [name for name in mapping if name not in slots]
    if len(spare) > 1:
        names = _join_names(spare)
        raise PrompterError(f"{names} fill no slot; at most one of them can be the user's input", cause="keys")
    values = {}
    for name in slots:
        if strict and not isinstance(mapping[name], str):
            raise PrompterError(
                f"the value of `{name}` must be text, not {type(mapping[name]).__name__}", cause="values", variable=name
            )
        values[name] = str(mapping[name])
    return Query(values, mapping[spare[0]] if spare else "")


def choose_tools(default_tools: Any, call_tools: Any) -> list[Any]:
    """Return the prompter's own tools or those of the call. Raises PrompterError if both are given."""
    if default_tools and call_tools is not None:
        raise PrompterError("the prompter has tools of its own, so a call cannot give others", cause="tools")
    tools = default_tools or call_tools or []
    if not isinstance(tools, list | tuple) or not all(isinstance(tool, Mapping) for tool in tools):
        raise PrompterError("`tools` must be a list of function tools", cause="tools")
    return deepcopy(list(tools))


def write_tools(tools: Sequence[Any]) -> str:
    """Return the block of tools in a marked prompt; empty without tools."""
    if not tools:
        return ""
    try:
        return f"### Function-call Tools. \n\n{json.dumps(tools)}\n\n"
    except (TypeError, ValueError) as error:
        raise PrompterError(f"the tools are not plain JSON: {error}", cause="tools") from error


def _read_history(history: Any) -> Sequence[Any]:
    if not history:
        return ()
    if isinstance(history, str | Mapping) or not isinstance(history, Sequence):
        raise PrompterError("`history` must be a list of turns", cause="history")
    return history


def list_history_pairs(history: Any) -> list[tuple[str, str]]:
    """Return the turns of a history for a marked prompt: pairs of user and assistant texts."""
    pairs = []
    for turn in _read_history(history):
        if not isinstance(turn, list):
            raise PrompterError(
                "a marked prompt takes its history as [user, assistant] pairs; messages are for `return_dict`",
                cause="history",
            )
        if len(turn) != 2:
            raise PrompterError(f"a turn of the history must be a pair, not {len(turn)} texts", cause="history")
        pairs.append((_require_text(turn[0]), _require_text(turn[1])))
    return pairs


def list_history_messages(history: Any) -> list[dict[str, Any]]:
    """Return the turns of a history as messages: lists of up to two texts, or messages, which may be mixed."""
    messages: list[dict[str, Any]] = []
    for turn in _read_history(history):
        if isinstance(turn, list):
            if len(turn) > 2:
                raise PrompterError(f"a turn of the history has at most two texts, not {len(turn)}", cause="history")
            roles = ("user", "assistant")
            pairs = zip(roles, turn, strict=False)
            messages.extend({"role": role, "content": _read_content(text)} for role, text in pairs)
        elif isinstance(turn, Mapping):
            messages.append(deepcopy(dict(turn)))
        else:
            raise PrompterError("a turn of the history must be a list of texts or a message", cause="history")
    return messages


def _read_content(text: Any) -> Any:
    """A message's content may also be a list of content items."""
    return deepcopy(text) if isinstance(text, list) else _require_text(text)


def _require_text(text: Any) -> str:
    if not isinstance(text, str):
        raise PrompterError(f"a turn of the history must be text, not {type(text).__name__}", cause="history")
    return text
