"""LazyLLM's prompters: one instruction for every model, as a marked text or as messages with tools.

`AlpacaPrompter` puts everything into one instruction; `ChatPrompter` keeps turns. Errors are PrompterErrors, whose
`cause` is instruction, extra_keys, marks, dialect, template, input, slots, keys, values, history or tools.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from promptuary.renderer.errors import PrompterError
from promptuary.renderer.functions import describe_nearest
from promptuary.renderer.prompters import arguments, layouts, slots
from promptuary.renderer.prompters.layouts import Field, Layout

__all__ = ["AlpacaPrompter", "ChatPrompter", "Prompter", "PrompterError"]


class Prompter:
    """A prompter of any layout. Thread-safe; it never modifies its arguments."""

    def __init__(
        self,
        recipe: Layout,
        instruction: str | Mapping[str, str] | None = None,
        extra_keys: str | Sequence[str] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        marks: Mapping[str, str | None] | None = None,
        dialect: str = layouts.DIALECTS[0],
    ) -> None:
        self.marks = _merge_marks(marks)
        self.recipe = layouts.with_reply_mark(recipe, self.marks)
        self.instruction = layouts.instruct(recipe, instruction, extra_keys, dialect)
        self.tools = arguments.choose_tools(list(tools) if tools else None, None)
        self.dialect = dialect

    def generate_prompt(
        self,
        input: str | Mapping[str, Any] | None = None,
        history: Sequence[Any] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        label: str | None = None,
        return_dict: bool = False,
    ) -> Any:
        """Return the prompt as one marked text, or with `return_dict` as `{"messages": [...]}` and any `tools`.

        `label`, the expected reply, ends the marked text for fine-tuning and is not used in messages. Raises
        PrompterError.
        """
        query = arguments.read_query(input, self.instruction.slots, strict=self.dialect != "0.1.1")
        self._check(query.input, history)
        call_tools = arguments.choose_tools(self.tools, tools)
        system, user = (
            slots.fill_slots(side, query.values) for side in (self.instruction.system, self.instruction.user)
        )
        if return_dict:
            return self._render_messages(system, user, query.input, history, call_tools)
        return self._render_text(system, user, query.input, history, call_tools) + (label or "")

    def _check(self, left: Any, history: Any) -> None:
        if "input" not in self.recipe.fields and left is not None and left != "":
            raise PrompterError("everything given must fill a slot of the instruction or an extra key", cause="input")
        if "history" not in self.recipe.fields and history:
            raise PrompterError("this prompter has no place for a history", cause="history")

    def _render_text(self, system: str, user: str, left: Any, history: Any, tools: list[Any]) -> str:
        fields = {
            **self.marks,
            "instruction": system,
            "tools": arguments.write_tools(tools),
            "history": "".join(self._turn(*pair) for pair in arguments.list_history_pairs(history)),
            "user": user,
            "input": _read_user_text(left),
        }
        return "".join(fields[piece.name] if isinstance(piece, Field) else piece for piece in self.recipe.template)

    def _turn(self, user_text: str, reply_text: str) -> str:
        marks = self.marks
        return f"{marks['soh']}{user_text}{marks['eoh']}{marks['soa']}{reply_text}{marks['eoa']}"

    def _render_messages(self, system: str, user: str, left: Any, history: Any, tools: list[Any]) -> dict[str, Any]:
        if not isinstance(left, str | Mapping):
            raise PrompterError(f"the input must be text or a message, not {type(left).__name__}", cause="input")
        last = deepcopy(dict(left)) if isinstance(left, Mapping) else {"role": "user", "content": left}
        if user:
            last["content"] = user + str(last.get("content", ""))
        head = self.marks["system"] + ("\n" + system if system else "")
        messages = [{"role": "system", "content": head}, *arguments.list_history_messages(history), last]
        return {"messages": messages, "tools": tools} if tools else {"messages": messages}

    def get_response(self, output: str, input: str | None = None) -> str:
        """Return the model's reply: the output without the exact input before it, or what follows its last mark."""
        if input and output.startswith(input):
            return output[len(input) :]
        return output.rpartition(self.recipe.reply_after)[2] if self.recipe.reply_after else output


class AlpacaPrompter(Prompter):
    """Puts everything into one instruction: no history, and every value needs a slot or an extra key."""

    def __init__(
        self,
        instruction: str | Mapping[str, str] | None = None,
        extra_keys: str | Sequence[str] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        marks: Mapping[str, str | None] | None = None,
        dialect: str = layouts.DIALECTS[0],
    ) -> None:
        super().__init__(layouts.find_layout("alpaca", dialect), instruction, extra_keys, tools, marks, dialect)


class ChatPrompter(Prompter):
    """Turns between marks: system, history, and the user's input."""

    def __init__(
        self,
        instruction: str | Mapping[str, str] | None = None,
        extra_keys: str | Sequence[str] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
        marks: Mapping[str, str | None] | None = None,
        dialect: str = layouts.DIALECTS[0],
    ) -> None:
        super().__init__(layouts.find_layout("chat", dialect), instruction, extra_keys, tools, marks, dialect)


def _merge_marks(custom_marks: Mapping[str, str | None] | None) -> dict[str, str]:
    """The default marks and system text, overridden by the given ones; None keeps a default, empty text clears it."""
    marks = {"system": layouts.SYSTEM, **layouts.MARKS}
    for name, mark in (custom_marks or {}).items():
        if name not in marks:
            raise PrompterError(f"`{name}` is not a mark; {describe_nearest(str(name), list(marks))}", cause="marks")
        if mark is not None and not isinstance(mark, str):
            raise PrompterError(f"the mark `{name}` must be text", cause="marks")
        marks[name] = marks[name] if mark is None else mark
    return marks


def _read_user_text(left: Any) -> str:
    """The user's input as text: a text, or the content of a user message."""
    if isinstance(left, Mapping):
        content = left.get("content")
        if left.get("role") != "user" or not isinstance(content, str):
            raise PrompterError("the input is a message that only `return_dict` can take", cause="input")
        return content
    if isinstance(left, str | int):
        return str(left)
    raise PrompterError(f"the input must be text, not {type(left).__name__}", cause="input")
