"""One's own account over the API: name, time zone, address and sessions. For signed-in people, never by key."""

from typing import Any

from allauth.core.ratelimit import consume
from django.conf import settings
from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.accounts.actor import Actor
from registry.core.errors import NotAllowed, TooMany
from registry.namespaces.authentication import identify_actor
from registry.people import own_account, sessions
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.output_serializers import Moment, Output, ProblemOutput

__all__ = ["OneSession", "OwnAccount", "OwnSessions"]


class AccountInput(Input):
    """What to change; what is absent stays."""

    full_name = Text(required=False)
    time_zone = Text(required=False, help_text="An IANA name such as Europe/Zurich; empty for UTC.")
    language = Text(required=False, help_text="Of pages and mails: en or de; empty for what the browser asks for.")
    email = Text(
        required=False, help_text="Used once the link sent to it was opened; at once where no mail server is set up."
    )


class AccountOutput(Output):
    """One's own account."""

    username = serializers.CharField()
    full_name = serializers.CharField(source="get_full_name")
    time_zone = serializers.SerializerMethodField()
    language = serializers.CharField(help_text="Of pages and mails; empty for what the browser asks for.")
    email = serializers.CharField()
    unconfirmed_email = serializers.CharField(required=False, help_text="The address that a link was just sent to.")

    def get_time_zone(self, person: Any) -> str:
        """The zone's name, never empty."""
        return person.time_zone or "UTC"


class SessionOutput(Output):
    """One sign-in that holds."""

    id = serializers.IntegerField()
    browser = serializers.CharField()
    address = serializers.CharField()
    signed_in_at = Moment()
    last_used_at = Moment()
    is_current = serializers.BooleanField()


class SessionList(Output):
    """Where you are signed in."""

    results = SessionOutput(many=True)


class EndedOutput(Output):
    """What ended."""

    ended = serializers.IntegerField()


class OwnAccount(APIView):
    """The account of the person who calls."""

    @extend_schema(operation_id="getAccount", responses={200: AccountOutput, "4XX": ProblemOutput})
    def get(self, request: Request) -> Response:
        """Your name, time zone and address. Not by key."""
        return Response(AccountOutput.of(_identify_person(request).person))

    @extend_schema(
        operation_id="changeAccount", request=AccountInput, responses={200: AccountOutput, "4XX": ProblemOutput}
    )
    def patch(self, request: Request) -> Response:
        """Change your name, time zone or address. A new address is used once the link in the mail to it was opened. Not
        by key."""
        actor, values = _identify_person(request), read_body(AccountInput, request)
        email = values.pop("email", None)
        is_sent = False
        if email is not None:
            is_counted = bool(email) and settings.MAIL_IS_SENT
            if is_counted and not consume(request._request, action="confirm_address", user=actor.person):
                raise TooMany(gettext("You asked for many mails. Try again in an hour."), retry_after=3600)
            is_sent = own_account.change_address(actor=actor, email=email)
        own_account.set_profile(actor=actor, **values)
        return Response({**AccountOutput.of(actor.person), **({"unconfirmed_email": email} if is_sent else {})})


class OwnSessions(APIView):
    """The sessions of the person who calls."""

    @extend_schema(operation_id="listSessions", responses={200: SessionList, "4XX": ProblemOutput})
    def get(self, request: Request) -> Response:
        """List your sessions, this one first. Not by key."""
        rows = sessions.list_sessions(_identify_person(request), request._request.session.session_key)
        return Response({"results": [SessionOutput.of(row) for row in rows]})

    @extend_schema(operation_id="endOtherSessions", request=None, responses={200: EndedOutput, "4XX": ProblemOutput})
    def delete(self, request: Request) -> Response:
        """End all your sessions but this one. Not by key."""
        key = request._request.session.session_key
        return Response({"ended": sessions.end_other_sessions(actor=_identify_person(request), current_key=key)})


class OneSession(APIView):
    """One session of the person who calls."""

    @extend_schema(operation_id="endSession", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, session: int) -> Response:
        """End a session. Not by key."""
        sessions.end_session(actor=_identify_person(request), session_id=session)
        return Response(status=204)


def _identify_person(request: Request) -> Actor:
    actor = identify_actor(request)
    if actor.key is not None:
        raise NotAllowed(gettext("A key has no account: sign in as the person it acts for."), key=actor.key.id)
    return actor
