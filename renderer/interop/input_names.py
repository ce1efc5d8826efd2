"""Names of inputs for the slots of a foreign template."""

import keyword
import re
import unicodedata

from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.interop.imported import Difference

__all__ = ["InputNames"]

# Jinja reads these as something else than an input.
_RESERVED = {
    *("and", "or", "not", "in", "is", "if", "else", "elif", "for", "recursive", "true", "false", "none"),
    *("True", "False", "None", "self", "super", "loop", "caller", "varargs", "kwargs", "fragment", "block", "macro"),
    *("range", "dict", "namespace", "cycler", "joiner", "escape_special_characters"),
    *FUNCTIONS,
}
_LONGEST = 60


class InputNames:
    """Input names for foreign ones: the same if that is a name here, else made of its letters and digits.

    One foreign name has one input name, and no two share one.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._described: dict[str, Difference] = {}

    def input_name(self, foreign: str, *, shown: str = "", reason: str = "", line: int | None = None) -> str:
        """The input's name. `shown` is how the source spells the slot, `reason` what the caller must give for it."""
        if foreign not in self._names:
            name = self._make(foreign)
            self._names[foreign] = name
            if name != foreign or reason:
                written = f"`{(shown or foreign)[:80]}` is the input `{name}`"
                self._described[foreign] = Difference(f"{written}{f': {reason}' if reason else ''}", line)
        return self._names[foreign]

    def differences(self) -> tuple[Difference, ...]:
        """A sentence for each slot whose input is called otherwise."""
        return tuple(self._described.values())

    def _make(self, foreign: str) -> str:
        name = unicodedata.normalize("NFKC", foreign)
        if not name.isidentifier():
            name = re.sub(r"\W+", "_", name).strip("_").lower()[:_LONGEST] or "value"
            name = f"input_{name}" if name[0].isdigit() else name
        name = name.lstrip("_") or "value"
        if name in _RESERVED or (keyword.iskeyword(name) and name.lower() in _RESERVED) or not name.isidentifier():
            name = f"{name}_value"
        taken, number, base = set(self._names.values()), 2, name
        while name in taken:
            name, number = f"{base}_{number}", number + 1
        return name
