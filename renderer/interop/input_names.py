"""Names of inputs for the slots of a foreign template."""

import keyword
import re
import unicodedata

from promptuary.renderer.functions import FUNCTIONS
from promptuary.renderer.inputs import declarations
from promptuary.renderer.interop.imported import Difference

__all__ = ["InputNames"]

# Names that can't be inputs, because they have a meaning in Jinja or in every template.
_RESERVED = {
    *("and", "or", "not", "in", "is", "if", "else", "elif", "for", "recursive", "true", "false", "none"),
    *("True", "False", "None", "super", "block", "macro", "range", "dict", "namespace", "cycler", "joiner"),
    *declarations.RESERVED,
    *FUNCTIONS,
}
_MAX_LENGTH = 60


class InputNames:
    """Input names for foreign names: unchanged if valid, else made of their letters and digits.

    The mapping is one to one.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._described: dict[str, Difference] = {}

    def input_name(
        self, foreign: str, *, wanted: str = "", shown: str = "", reason: str = "", line: int | None = None
    ) -> str:
        """Return the input's name. `shown` is the slot as spelled in the source, `reason` what its value must be.

        wanted: the name to take if no other foreign name has it, instead of one made of the foreign name.
        """
        if foreign not in self._names:
            name = self._make(wanted or foreign)
            self._names[foreign] = name
            if name != foreign or reason:
                written = f"`{(shown or foreign)[:80]}` is the input `{name}`"
                self._described[foreign] = Difference(f"{written}{f': {reason}' if reason else ''}", line)
        return self._names[foreign]

    def differences(self) -> tuple[Difference, ...]:
        """Return a sentence for each slot whose input has another name."""
        return tuple(self._described.values())

    def _make(self, foreign: str) -> str:
        name = unicodedata.normalize("NFKC", foreign)
        if not name.isidentifier():
            name = re.sub(r"\W+", "_", name).strip("_").lower()[:_MAX_LENGTH] or "value"
            name = f"input_{name}" if name[0].isdigit() else name
        name = name.lstrip("_") or "value"
        if name in _RESERVED or (keyword.iskeyword(name) and name.lower() in _RESERVED) or not name.isidentifier():
            name = f"{name}_value"
        used_names, number, base = set(self._names.values()), 2, name
        while name in used_names:
            name, number = f"{base}_{number}", number + 1
        return name
