"""Errors in a part, located where the author wrote it."""

from collections.abc import Sequence

from promptuary.renderer.syntax import suggestions, yaml_reader

__all__ = [
    "ROLES",
    "PartError",
    "build_unknown_key_error",
    "build_unknown_role_error",
    "describe_bad_given_priority",
    "describe_bad_given_role",
    "describe_bad_priority",
    "describe_bad_role",
]

ROLES = ("system", "developer", "user", "assistant", "tool")
_OTHER_NAMES = {"ai": "assistant", "bot": "assistant", "function": "tool", "human": "user", "model": "assistant"}


class PartError(Exception):
    """An error at an offset of the marked text, or in the value of slot number `slot`."""

    def __init__(
        self,
        message: str,
        code: str,
        index: int,
        slot: int | None = None,
        *,
        width: int = 0,
        suggestion: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.index = index
        self.slot = slot
        # The length of the wrong word, and its replacement.
        self.width, self.meant = width, suggestion


def describe_bad_role(text: str) -> str:
    return f"`{text[:40]}` is not a role; the roles are {', '.join(ROLES)}"


def describe_bad_priority(text: str) -> str:
    return f"`truncation_priority` must be a whole number, not `{text[:40]}`"


def describe_bad_given_role() -> str:
    return f"the value given for `role` is not a role; the roles are {', '.join(ROLES)}"


def describe_bad_given_priority() -> str:
    return "the value given for `truncation_priority` must be a whole number"


def build_unknown_key_error(key: yaml_reader.Scalar, owner: str, keys: Sequence[str]) -> PartError:
    width = len(key.value) if key.style == "plain" else 0
    message = f"`{key.value}` is not a field of a {owner}{suggestions.make_spelling_hint(key.value, keys)}"
    return PartError(message, "PT304", key.start, width=width, suggestion=suggestions.find_likely_name(key.value, keys))


def build_unknown_role_error(role: str, node: yaml_reader.Scalar) -> PartError:
    width = len(role) if node.style == "plain" else 0
    suggestion = _OTHER_NAMES.get(role.lower()) or suggestions.find_likely_name(role.lower(), ROLES)
    return PartError(describe_bad_role(role), "PT305", node.start, width=width, suggestion=suggestion)
