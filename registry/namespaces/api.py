"""API of namespaces: listing and creating them, their rules and their members."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.accounts.actor import Actor
from registry.idempotency.views import IdempotentView
from registry.namespaces import permissions, queries, services
from registry.namespaces.authentication import identify_actor
from registry.namespaces.models import Membership, Namespace, Role
from registry.namespaces.rules import DEFAULT_CHECKS, read_rules
from registry.rest import output_serializers
from registry.rest.input_serializers import Flag, Input, Integer, Text, read_body

__all__ = [
    "CreateInput",
    "MemberOutput",
    "Members",
    "NamespaceOutput",
    "Namespaces",
    "OneNamespace",
    "RulesInput",
    "answer_namespace",
]


class OwnerInput(Input):
    """Paths of a namespace and the people one of whom must approve their changes."""

    pattern = Text(help_text="`refunds/*`; `*` fits anything, slashes too. Of several that fit the last one counts.")
    people = serializers.ListField(child=Text())
    groups = serializers.ListField(child=Text(), required=False, help_text="Names of groups; who is in them owns too.")


class ApprovalRuleInput(Input):
    """Approvals that some changes need in addition to the namespace's. The strictest of all matching rules count."""

    label = Text(  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
        required=False, default="", help_text="Empty for every protected label."
    )
    folder = Text(required=False, default="", help_text="Inside the namespace, as in `refunds`; empty for all of it.")
    approvals = Integer(required=False, default=0)
    groups = serializers.ListField(
        child=Text(), required=False, default=list, help_text="Names of groups: an approval from each is needed."
    )


class RulesInput(Input):
    """Rules to change; what is absent or null stays."""

    protected_labels = serializers.ListField(child=Text(), required=False, allow_null=True)
    approvals = Integer(required=False, allow_null=True)
    self_approval = Flag(required=False, allow_null=True)
    suggesters_may_approve = Flag(required=False, allow_null=True)
    threads_resolved = Flag(required=False, allow_null=True)
    two_step_required = Flag(required=False, allow_null=True)
    discard_playground_texts = Flag(required=False, allow_null=True)
    required_checks = serializers.ListField(child=Text(), required=False, allow_null=True)
    compatibility = Text(required=False, allow_null=True)
    approval_rules = ApprovalRuleInput(many=True, required=False, allow_null=True)
    owners = OwnerInput(many=True, required=False, allow_null=True)
    break_glass = Flag(required=False, allow_null=True)
    keys_approved_only = Flag(required=False, allow_null=True)
    standards = serializers.DictField(
        child=serializers.DictField(allow_null=True),
        required=False,
        allow_null=True,
        help_text="All standards that documents must meet when they are saved, in place of those before.",
    )


class CreateInput(RulesInput):
    """A name, and rules if wanted; what is absent or null is as for every new namespace."""

    name = Text()
    required_checks = serializers.ListField(
        child=Text(),
        required=False,
        allow_null=True,
        help_text=f"Absent or null: {', '.join(DEFAULT_CHECKS)}. An empty list requires none.",
    )


class RulesOutput(output_serializers.Output):
    protected_labels = serializers.ListField(child=serializers.CharField())
    approvals = serializers.IntegerField()
    self_approval = serializers.BooleanField()
    suggesters_may_approve = serializers.BooleanField()
    threads_resolved = serializers.BooleanField()
    two_step_required = serializers.BooleanField(help_text="Whether people without two-step sign-in can only read.")
    discard_playground_texts = serializers.BooleanField()
    required_checks = serializers.ListField(child=serializers.CharField())
    compatibility = serializers.CharField()
    approval_rules = serializers.ListField(child=serializers.DictField())
    owners = serializers.ListField(child=serializers.DictField())
    break_glass = serializers.BooleanField()
    keys_approved_only = serializers.BooleanField()
    standards = serializers.DictField(child=serializers.DictField(), help_text="Those that there are, by name.")


class NamespaceOutput(output_serializers.Output):
    name = serializers.CharField()
    role = serializers.CharField(help_text="Yours; through a key that of the person it acts for.")
    rules = RulesOutput()


class NamespaceList(output_serializers.Output):
    results = NamespaceOutput(many=True)


class MemberOutput(output_serializers.Output):
    person = serializers.CharField()
    role = serializers.CharField(help_text="The highest of their own and those of their groups.")
    own_role = serializers.CharField(help_text="What was given to the person; empty where only groups give a role.")
    folder_roles = serializers.DictField(
        child=serializers.CharField(), help_text="By folder what they are there, where that is more than `role`."
    )


class MemberList(output_serializers.Output):
    results = MemberOutput(many=True)


class Namespaces(IdempotentView):
    """The namespaces of the caller."""

    @extend_schema(
        operation_id="listNamespaces", responses={200: NamespaceList, "4XX": output_serializers.ProblemOutput}
    )
    def get(self, request: Request) -> Response:
        """List the namespaces that you may read in, by name, each with your role and its rules."""
        listed = queries.list_namespaces(identify_actor(request))
        return Response({"results": [_describe_namespace(row, roles.namespace) for row, roles in listed]})

    @extend_schema(
        operation_id="createNamespace",
        request=CreateInput,
        responses={201: NamespaceOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request) -> Response:
        """Create a namespace; you become its admin. Not by key."""
        fields = {name: value for name, value in read_body(CreateInput, request).items() if value is not None}
        row = services.create_namespace(actor=identify_actor(request), **fields)
        return Response(
            _describe_namespace(row, Role.ADMIN), 201, headers={"Location": f"/api/v1/namespaces/{row.name}"}
        )


class OneNamespace(APIView):
    """One namespace; `registry.changes.rule_api` adds the change of its rules."""

    @extend_schema(
        operation_id="getNamespace", responses={200: NamespaceOutput, "4XX": output_serializers.ProblemOutput}
    )
    def get(self, request: Request, namespace: str) -> Response:
        """Read a namespace: its rules and your role in it. For members."""
        actor = identify_actor(request)
        return answer_namespace(actor, queries.get_namespace(actor, namespace))


class Members(APIView):
    """The members of a namespace."""

    @extend_schema(operation_id="listMembers", responses={200: MemberList, "4XX": output_serializers.ProblemOutput})
    def get(self, request: Request, namespace: str) -> Response:
        """List the members with their roles, by username. For members."""
        rows = queries.list_members(identify_actor(request), namespace)
        return Response({"results": [_describe_member(row) for row in rows]})


def answer_namespace(actor: Actor, row: Namespace) -> Response:
    """The namespace with its rules and the actor's role, as a response."""
    return Response(_describe_namespace(row, permissions.find_role(actor.person, row) or Role.READER))


def _describe_member(row: Membership) -> dict[str, Any]:
    return {
        "person": row.person.username,
        "role": row.role,
        "own_role": row.own_role,
        "folder_roles": row.folder_roles,
    }


def _describe_namespace(row: Namespace, role: Role) -> dict[str, Any]:
    return {"name": row.name, "role": role.value, "rules": read_rules(row).to_columns()}
