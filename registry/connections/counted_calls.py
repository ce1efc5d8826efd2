"""Model calls that count as spent: each attempt before it is made, corrected once its actual use is known.

If a worker is killed during a call, the prompt stays counted.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, cast

from promptuary.evaluation import ModelError
from promptuary.evaluation.http_models import HTTPModel
from promptuary.evaluation.models import Model, ModelInput, Reply
from registry.accounts.models import User
from registry.connections import spending
from registry.connections.endpoint import Endpoint
from registry.connections.spending import SpendingAccount
from registry.core.errors import PromptuaryError
from registry.journal import log
from registry.namespaces.models import Namespace

__all__ = ["CountedAmount", "CountedCall", "ask_with_tries"]


class CountedAmount(NamedTuple):
    """An amount counted as spent, or refunded if it is negative."""

    calls: int
    prompt_tokens: int
    completion_tokens: int


class CountedCall:
    """The count of one call. For use by one thread.

    prompt: the text sent. Its tokens are estimated from it if `tokens` is None, and where the provider doesn't count
    them.
    """

    def __init__(
        self, namespace: Namespace, person: User, endpoint: Endpoint, prompt: str, tokens: int | None = None
    ) -> None:
        self._tokens = spending.count_or_estimate(tokens, prompt)
        self._namespace, self._person, self._endpoint, self._prompt = namespace, person, endpoint, prompt
        self._counted = CountedAmount(0, 0, 0)

    @cached_property
    def _account(self) -> SpendingAccount:
        """The account of the day of the first attempt; later refunds go to the same day."""
        endpoint = self._endpoint
        return SpendingAccount(self._namespace.pk, self._person.pk, endpoint.name, endpoint.price, log.now().date())

    def count_try(self) -> CountedAmount:
        """Count the prompt of the next attempt. Return the amount added.

        Raises TooMany if a spending cap is reached and Conflict if the price can't be counted against it.
        """
        if self._endpoint.kind == "http":
            spending.require_within_caps(self._namespace, self._person, self._endpoint)
        return self._add(CountedAmount(1, self._tokens, 0))

    def settle(self, replies: Sequence[Reply]) -> CountedAmount:
        """Replace the count so far by the actual use of these replies. Return the difference.

        Attempts without a reply were refused, and cost nothing.
        """
        prompt_tokens = sum(spending.count_or_estimate(reply.prompt_tokens, self._prompt) for reply in replies)
        completion_tokens = sum(spending.count_or_estimate(reply.completion_tokens, reply.text) for reply in replies)
        before = self._counted
        return self._add(
            CountedAmount(
                len(replies) - before.calls,
                prompt_tokens - before.prompt_tokens,
                completion_tokens - before.completion_tokens,
            )
        )

    def _add(self, counted: CountedAmount) -> CountedAmount:
        if self._endpoint.kind == "http" and any(counted):
            spending.record_tokens(self._account, *counted)
        self._counted = CountedAmount(*(sum(pair) for pair in zip(self._counted, counted, strict=True)))
        return counted


def ask_with_tries(
    endpoint: Endpoint,
    model: Model,
    prompt: ModelInput,
    settings: Mapping[str, Any],
    before_try: Callable[[Sequence[Reply]], None],
) -> Reply:
    """Call the endpoint's model, with `before_try` called before each request, as in `HTTPModel.complete`.

    Raises ModelError. If `before_try` raised a PromptuaryError, that is its cause.
    """

    def check_try(spent: Sequence[Reply]) -> None:
        try:
            before_try(spent)
        except PromptuaryError as error:
            raise ModelError(error.message) from error

    if endpoint.kind == "http":
        return cast("HTTPModel", model).complete(prompt, settings, before_try=check_try)
    check_try(())
    return model.complete(prompt, settings)
