"""Invitations: listing the open ones of a namespace, inviting, and revoking. For admins, not by key."""

from typing import Any

from django.utils.translation import gettext
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.accounts.actor import Actor
from registry.core.errors import Invalid
from registry.idempotency.views import IdempotentView
from registry.invitations import queries, services
from registry.invitations.models import Invitation
from registry.namespaces.authentication import identify_actor
from registry.namespaces.models import Role
from registry.rest.input_serializers import Input, Text, read_body
from registry.rest.output_serializers import Moment, Output, ProblemOutput

__all__ = ["Invitations", "OneInvitation"]


class InvitationInput(Input):
    """Who is invited, and as what."""

    role = Text(help_text=f"One of {', '.join(Role)}.")
    email = Text(required=False, default="", help_text="Where the link is sent; empty: you hand it on yourself.")
    emails = serializers.ListField(
        child=Text(),
        required=False,
        min_length=1,
        max_length=100,
        help_text="Instead of `email`: up to 20 addresses, each with a result of its own.",
    )


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


class InvitationAnswer(Output):
    """The result of inviting one address."""

    email = serializers.CharField()
    outcome = serializers.ChoiceField(
        [outcome.value for outcome in services.Outcome],
        help_text="`invited`: a link was made. `role_given`: the account with this address has the role now. "
        "`already_member` and `already_invited`: nothing was changed.",
    )
    detail = serializers.CharField(help_text="The same as a sentence.")
    invitation = InvitedOutput(allow_null=True, help_text="With its link; null unless `invited`.")


class InvitationAnswers(Output):
    """One result for each address, in the order given."""

    results = InvitationAnswer(many=True)


class InvitationList(Output):
    """The open invitations of a namespace."""

    results = InvitationOutput(many=True)


class Invitations(IdempotentView):
    """The invitations of a namespace."""

    @extend_schema(operation_id="listInvitations", responses={200: InvitationList, "4XX": ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """List the invitations that can still be accepted, newest first, without their links. For admins, not by
        key."""
        rows = queries.list_open(identify_actor(request), namespace)
        return Response({"results": [InvitationOutput.of(row) for row in rows]})

    @extend_schema(
        operation_id="invitePerson",
        request=InvitationInput,
        responses={200: InvitationAnswers, 201: InvitedOutput, "4XX": ProblemOutput},
    )
    def post(self, request: Request, namespace: str) -> Response:
        """Invite somebody. Only this answer contains the link, which works once, for seven days. With `emails` several
        people are invited, and 200 has a result for each: members and who is invited already stay as they are, and an
        account with a proven address gets the role at once. For admins, not by key.
        """
        data = read_body(InvitationInput, request)
        emails = data.pop("emails", None)
        if emails is None:
            body, status = (
                _describe_invited(services.invite_person(actor=identify_actor(request), namespace=namespace, **data)),
                201,
            )
        else:
            body, status = {"results": _invite_all(identify_actor(request), namespace, data, emails)}, 200
        return Response(body, status, headers={"Cache-Control": "no-store"})


class OneInvitation(APIView):
    """One invitation."""

    @extend_schema(operation_id="endInvitation", request=None, responses={204: None, "4XX": ProblemOutput})
    def delete(self, request: Request, invitation: str) -> Response:
        """Withdraw an invitation: its link stops working. For admins, not by key."""
        services.end_invitation(actor=identify_actor(request), invitation_id=invitation)
        return Response(status=204)


def _describe_invited(invited: services.Invited) -> dict[str, Any]:
    row: Invitation = invited.invitation
    return {**InvitationOutput.of(row), "link": invited.link, "is_sent": invited.is_sent}


def _invite_all(actor: Actor, namespace: str, fields: dict[str, Any], emails: list[str]) -> list[dict[str, Any]]:
    """The serialized results. Errors refer to the field `emails`."""
    if fields["email"]:
        raise Invalid(fields={"emails": gettext("say either email or emails.")})
    if blank := [str(number) for number, email in enumerate(emails, 1) if not email.strip()]:
        sentence = gettext("an address is empty: number {numbers}.")
        raise Invalid(fields={"emails": sentence.format(numbers=", ".join(blank))})
    try:
        answers = services.invite_people(actor=actor, namespace=namespace, role=fields["role"], emails=emails)
    except Invalid as error:
        raise Invalid(
            fields={"emails" if field == "email" else field: text for field, text in error.fields.items()}
        ) from error
    return [
        {
            "email": answer.email,
            "outcome": answer.outcome.value,
            "detail": answer.sentence,
            "invitation": _describe_invited(answer.invited) if answer.invited else None,
        }
        for answer in answers
    ]
