"""The base of each view of the API whose POST changes something: it takes an idempotency key."""

from typing import Any, cast

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.accounts.models import Key
from registry.idempotency import answers
from registry.idempotency.answers import Answer

__all__ = ["REPLAYED", "IdempotentView"]

REPLAYED = "Idempotency-Replayed"  # the header of an answer that was given before
_HEADERS = ("Content-Type", "ETag", "Location")  # all else belongs to the request at hand


class _AlreadyAnswered(Exception):
    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.status)
        self.answer = answer


class IdempotentView(APIView):
    """A view whose POST is done once for each `Idempotency-Key` of its caller, within a day.

    With the header, all that the POST does and the answer to it are one transaction. Without it, nothing is different.
    An answer in the 200s is stored; a refusal is not, since it changed nothing.
    """

    _given_key: str | None = None
    _claimed_by = ""  # the caller, once the key is claimed

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Django's entry of a view."""
        self._given_key = request.headers.get(answers.HEADER) if request.method == "POST" else None
        if self._given_key is None:
            return super().dispatch(request, *args, **kwargs)
        with transaction.atomic():
            response = super().dispatch(request, *args, **kwargs)
            if self._claimed_by:
                self._keep_or_release(response, self._given_key)
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Claim the key once it is known who asks and that they may ask."""
        if self._given_key is None:
            super().initial(request, *args, **kwargs)
            return
        body = request._request.body  # before a session's sign-in looks for its CSRF token in it
        super().initial(request, *args, **kwargs)
        key = answers.check_idempotency_key(self._given_key)
        caller = f"key:{request.auth.id}" if isinstance(request.auth, Key) else f"person:{request.user.pk}"
        fingerprint = answers.compute_fingerprint("POST", request._request.get_full_path(), body)
        stored = answers.claim_answer(caller=caller, key=key, fingerprint=fingerprint)
        if stored is not None:
            raise _AlreadyAnswered(stored)
        self._claimed_by = caller

    def handle_exception(self, exc: Exception) -> Response:
        """Answer as before what was answered before; anything else is for REST framework."""
        if isinstance(exc, _AlreadyAnswered):
            headers = {**exc.answer.headers, REPLAYED: "true"}
            answer = HttpResponse(exc.answer.body, status=exc.answer.status, headers=headers)
            return cast("Response", answer)  # REST framework takes any answer of Django's
        return super().handle_exception(exc)

    def _keep_or_release(self, response: HttpResponseBase, key: str) -> None:
        if response.status_code >= 500:
            transaction.set_rollback(True)
        elif response.status_code >= 300:
            answers.release_claim(caller=self._claimed_by, key=key)
        else:
            whole = response.render() if isinstance(response, Response) else response
            headers = {name: whole.headers[name] for name in _HEADERS if name in whole.headers}
            content = whole.content if isinstance(whole, HttpResponse) else b""
            answers.store_answer(caller=self._claimed_by, key=key, answer=Answer(whole.status_code, content, headers))
