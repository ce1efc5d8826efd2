"""Errors that the renderer raises.

    RenderError                 the base class; has a message and, if known, a place
    ├── DocumentError           the document has an error
    │   ├── FragmentError       a fragment is missing, not pinned, cyclic or declared otherwise
    │   ├── ProfileError        a profile is unknown or ill-formed
    │   └── EngineError         the document asks for a newer engine than this one
    ├── InputError              the data are missing or invalid (`path` names the input)
    │   └── PrompterError       a prompter can't be created or filled (`cause` says why)
    ├── TruncationError         the prompt can't be made to fit (`protected`, `shortfall`)
    ├── TokenizerError          a tokenizer is unknown, missing or does not match its checksum
    │   └── MissingVocabularyError  a known vocabulary isn't available (`vocabulary`, `digest`)
    ├── LimitError              a bound of time, memory or size was hit
    └── OutputError             a model's reply can't be read as the document declares

An error crosses process boundaries as `to_dict()`, and `from_dict()` rebuilds it with the same class.
"""

from typing import Any, ClassVar

from promptuary.renderer.problems import Fix, Place, Problem

__all__ = [
    "DocumentError",
    "EngineError",
    "FragmentError",
    "InputError",
    "LimitError",
    "MissingVocabularyError",
    "OutputError",
    "ProfileError",
    "PrompterError",
    "RenderError",
    "TokenizerError",
    "TruncationError",
    "from_dict",
]


class RenderError(Exception):
    """The base class. `facts` holds what a subclass adds (path, shortfall …), as plain JSON values."""

    default_code: ClassVar[str] = "PT206"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        place: Place | None = None,
        variable: str | None = None,
        fix: Fix | None = None,
        **facts: Any,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.place = place
        self.variable = variable
        self.fix = fix
        self.facts: dict[str, Any] = facts

    @property
    def line(self) -> int | None:
        """1-based line of the document, or None if no line is to blame."""
        return self.place.line if self.place else None

    @property
    def column(self) -> int | None:
        """1-based column in code points, or None."""
        return self.place.column if self.place else None

    def __str__(self) -> str:
        return f"line {self.place.line}: {self.message}" if self.place else self.message

    def located(self, place: Place | None) -> "RenderError":
        """Set the error's place unless it has one, and return the error."""
        if self.place is None:
            self.place = place
        return self

    def to_problem(self) -> Problem:
        """Convert to a Problem of severity error; without a place, it is on line 1."""
        place = self.place or Place(1, 1)
        return Problem(
            code=self.code,
            severity="error",
            message=self.message,
            line=place.line,
            column=place.column,
            end_line=place.end_line,
            end_column=place.end_column,
            fix=self.fix,
            variable=self.variable,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the wire form: the problem's fields, the class name as `type`, and the facts."""
        body = self.to_problem().to_dict()
        return {"type": type(self).__name__, **body, "placed": self.place is not None, "facts": self.facts}


class DocumentError(RenderError):
    """The document has an error."""

    default_code = "PT101"


class FragmentError(DocumentError):
    """A fragment is missing, not pinned, cyclic, too deep, or declares inputs that its includer doesn't."""

    default_code = "PT501"


class ProfileError(DocumentError):
    """A profile is unknown or ill-formed."""

    default_code = "PT608"


class EngineError(DocumentError):
    """The bundle was saved under an engine that this renderer doesn't support."""

    default_code = "PT109"


class InputError(RenderError):
    """The data for a rendering are missing or invalid. `path` is the place in the data: `customer.name`,
    `turns[3].text`.
    """

    default_code = "PT402"

    def __init__(self, message: str, *, path: str | None = None, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.path = path if path is not None else self.variable
        self.facts["path"] = self.path


class PrompterError(InputError):
    """A prompter can't be created or filled. `cause` is one word: slots, keys, history, tools, marks …"""

    default_code = "PT921"

    def __init__(self, message: str, *, cause: str = "", **facts: Any) -> None:
        super().__init__(message, **facts)
        self.cause = cause
        self.facts["cause"] = cause


class TruncationError(RenderError):
    """The prompt can't be made to fit. `protected` names the parts that may not be cut; `shortfall` is in tokens."""

    default_code = "PT603"

    def __init__(self, message: str, *, protected: list[str] | None = None, shortfall: int = 0, **facts: Any) -> None:
        super().__init__(message, **facts)
        self.protected = protected or []
        self.shortfall = shortfall
        self.facts.update(protected=self.protected, shortfall=shortfall)


class TokenizerError(RenderError):
    """A tokenizer is unknown, not installed, or its file does not match its checksum."""

    default_code = "PT604"


class MissingVocabularyError(TokenizerError):
    """A known vocabulary is not available. `vocabulary` is its name, `digest` (`sha256:…`) the digest of its file."""

    def __init__(self, message: str, *, vocabulary: str = "", digest: str = "", **facts: Any) -> None:
        super().__init__(message, **facts)
        self.vocabulary = vocabulary
        self.digest = digest
        self.facts.update(vocabulary=vocabulary, digest=digest)


class LimitError(RenderError):
    """A limit on time, memory, size or depth was hit."""

    default_code = "PT702"


class OutputError(RenderError):
    """A model's reply can't be read as the document declares."""

    default_code = "PT801"


_CLASSES: dict[str, type[RenderError]] = {
    kind.__name__: kind
    for kind in (
        RenderError,
        DocumentError,
        FragmentError,
        ProfileError,
        EngineError,
        InputError,
        PrompterError,
        TruncationError,
        TokenizerError,
        MissingVocabularyError,
        LimitError,
        OutputError,
    )
}


def from_dict(value: dict[str, Any]) -> RenderError:
    """Rebuild an error from `to_dict()`."""
    problem = Problem.from_dict({key: item for key, item in value.items() if key not in ("type", "placed", "facts")})
    place = Place(problem.line, problem.column, problem.end_line, problem.end_column)
    kind = _CLASSES.get(value["type"], RenderError)
    return kind(
        problem.message,
        code=problem.code,
        place=place if value.get("placed") else None,
        variable=problem.variable,
        fix=problem.fix,
        **value.get("facts", {}),
    )
