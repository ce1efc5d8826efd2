"""Errors of the registry's services, independent of HTTP.

PromptuaryError
    NotFound              the object doesn't exist, or the actor may not know of it
    Gone                  it existed, and its text was permanently removed
    NotAllowed            the person or key lacks the right
        ApprovalRequired  the label is protected: only an approved change request moves it
        TwoStepRequired   the namespace requires two-step sign-in for this, and the person has none
        AddressNotAllowed the key is valid but not allowed from this network address
    ProofRequired         the session's last reauthentication is too old for this
    Conflict              the object is not in the state that the caller assumed
        Stale             a newer version (or another one) replaced the caller's base
    PreconditionRequired  the caller did not say which version the work is based on
    Invalid               the input is wrong; nothing was stored
    TooLarge              the input is over a size limit
    TooMany               the caller sends too many requests
    Busy                  the registry can't do it now; retrying helps
    Halted                nothing is written until an operator has chosen which of two histories counts

Facts given as keywords become attributes of `facts`, plain JSON types that a caller may show.
"""

from collections.abc import Mapping, Sequence

from django.utils.translation import gettext

from promptuary.renderer.problems import Problem

__all__ = [
    "AddressNotAllowed",
    "ApprovalRequired",
    "Busy",
    "Conflict",
    "Gone",
    "Halted",
    "Invalid",
    "NotAllowed",
    "NotFound",
    "PreconditionRequired",
    "PromptuaryError",
    "ProofRequired",
    "Stale",
    "TooLarge",
    "TooMany",
    "TwoStepRequired",
]


class PromptuaryError(Exception):
    """The base class: `message` is a sentence for a person, `facts` is data for programs."""

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.message = message
        self.facts = facts


class NotFound(PromptuaryError):
    """The object doesn't exist, or the actor may not know of it."""


class Gone(PromptuaryError):
    """It existed, and its text was permanently removed; the message says when, by whom and why."""


class NotAllowed(PromptuaryError):
    """The person or key lacks the right; the message names the missing role and who grants it."""


class ApprovalRequired(NotAllowed):
    """The label is protected: only an approved change request moves it."""


class AddressNotAllowed(NotAllowed):
    """The key is valid but not allowed from this network address; `facts["address"]` is that address."""


class TwoStepRequired(NotAllowed):
    """The namespace requires two-step sign-in for this, and the person has not switched it on."""


class ProofRequired(PromptuaryError):
    """The person has the right but must reauthenticate; `facts["proof"]` is password or totp.

    Not a subclass of NotAllowed: a page that shows a refusal next to its form would swallow it without asking for the
    proof.
    """


class Conflict(PromptuaryError):
    """The object is not in the state that the caller assumed."""


class Stale(Conflict):
    """The version that this work is based on is no longer the latest."""


class PreconditionRequired(PromptuaryError):
    """The caller did not say which version the work is based on."""


class Invalid(PromptuaryError):
    """The input is wrong and nothing was stored.

    `problems` are the renderer's problems of a document and its samples; `fields` are sentences by field name.
    """

    def __init__(
        self,
        message: str = "",
        *,
        problems: Sequence[Problem] = (),
        fields: Mapping[str, str] | None = None,
        **facts: object,
    ) -> None:
        self.problems = list(problems)
        self.fields = dict(fields or {})
        super().__init__(message or self._summarize_fields(), **facts)

    def _summarize_fields(self) -> str:
        errors = [problem for problem in self.problems if problem.severity == "error"]
        if errors:
            sentence = gettext("line {line}: {message}")
            if len(errors) > 1:
                sentence = gettext("line {line}: {message} (and {count} more)")
            return sentence.format(line=errors[0].line, message=errors[0].message, count=len(errors) - 1)
        sentences = [f"{field}: {sentence}" for field, sentence in self.fields.items()]
        return "; ".join(sentences) or gettext("the input is wrong")


class TooLarge(PromptuaryError):
    """The input is over a size limit; `facts["limit"]` is the limit in bytes."""


class TooMany(PromptuaryError):
    """The caller sends too many requests; `facts["retry_after"]` is in seconds."""


class Busy(PromptuaryError):
    """The registry can't do it now; retrying helps."""


class Halted(PromptuaryError):
    """Nothing is written until an operator has chosen which of two histories counts; the message names the commands."""
