"""Invitations: listing the open ones of a namespace, inviting, taking back. For admins, not by key."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.idempotency.views import IdempotentView
from registry.invitations import queries, services
from registry.invitations.models import Invitation
from registry.namespaces.authentication import actor_of
from registry.namespaces.models import Role
from registry.rest.input_serializers import Input, Text, read
from registry.rest.output_serializers import Moment, Output, ProblemOutput

__all__ = ["Invitations", "OneInvitation"]


class InvitationInput(Input):
    """Who is invited, and as what."""

    role = Text(help_text=f"One of {', '.join(Role)}.")
    email = Text(required=False, default="", help_text="Where the link is sent; empty: you hand it on yourself.")


class InvitationOutput(Output):
    """An open invitation without its link."""

    id = serializers.CharField()
    role = serializers.ChoiceField([role.value for role in Role])
    email = serializers.CharField()
    invited_by = serializers.CharField(source="invited_by.username")
    created_at = Moment()
    expires_at = Moment()


class InvitedOutput(InvitationOutput):
    """A fresh invitation."""

    link = serializers.CharField(help_text="Works once; shown this once.")
    is_sent = serializers.BooleanField(help_text="Whether the link went out by mail.")


class InvitationList(Output):
    """The open invitations of a namespace."""

    results = InvitationOutput(many=True)


class Invitations(IdempotentView):
    """The invitations of a namespace."""

    @extend_schema(operation_id="listInvitations", responses={200: InvitationList, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """Those that can still be accepted, newest first, without their links. For admins, not by key."""
        rows = queries.list_open(actor_of(request), namespace)
        return Response({"results": [InvitationOutput.of(row) for row in rows]})

    @extend_schema(
        operation_id="invitePerson", request=InvitationInput, responses={201: InvitedOutput, "4XX": ProblemOutput}
    )
    def post(self, request: Request, namespace: str) -> Response:
        """Invite somebody. Only this answer holds the link, which works once, for seven days. For admins,
        not by key.
        """
        invited = services.invite_person(actor=actor_of(request), namespace=namespace, **read(InvitationInput, request))
        return Response(_shape(invited), 201, headers={"Cache-Control": "no-store"})


class OneInvitation(APIView):
    """One invitation."""

    @extend_schema(operation_id="endInvitation", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, invitation: str) -> Response:
        """Take it back: its link works no more. For admins, not by key."""
        services.end_invitation(actor=actor_of(request), invitation_id=invitation)
        return Response(status=204)


def _shape(invited: services.Invited) -> dict[str, Any]:
    row: Invitation = invited.invitation
    return {**InvitationOutput.of(row), "link": invited.link, "is_sent": invited.is_sent}
