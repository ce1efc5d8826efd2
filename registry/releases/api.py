"""Releases: propose several templates together, review, publish, withdraw, roll back."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from registry.changes import label_preview
from registry.changes import schedules as change_schedules
from registry.core.timestamps import read_moment
from registry.idempotency.views import IdempotentView
from registry.namespaces.authentication import identify_actor
from registry.namespaces.key_rights import is_narrow
from registry.namespaces.verbs import Verb
from registry.releases import plans, proposals, queries, roll_back_preview, roll_backs, schedules, services
from registry.releases.expected_members import ExpectedMembers, read_expected_members
from registry.releases.plans import LeftOut, ReleaseSelection
from registry.releases.serializers import (
    PlanOutput,
    ReleaseFacts,
    ReleaseItem,
    ReleaseOutput,
    ReleasePage,
    RollBackPreviewOutput,
)
from registry.rest import output_serializers
from registry.rest.input_serializers import Input, Integer, Text, read_body
from registry.rest.list_responses import answer_page, read_query

__all__ = [
    "MADE",
    "Members",
    "OneMember",
    "OneRelease",
    "Plan",
    "PreviewRollBack",
    "PublishRelease",
    "Releases",
    "RollBackRelease",
    "WithdrawRelease",
    "show_release",
]

_ANSWERS = {200: ReleaseOutput, "4XX": output_serializers.ProblemOutput}
MADE = {201: ReleaseOutput, "4XX": output_serializers.ProblemOutput}
_SELECTION = ("versions", "from_label", "templates", "folder")


class SelectionInput(Input):
    """Versions by template, or what another label of templates or of a folder serves."""

    label = Text()  # type: ignore[assignment]  # the metaclass takes declared fields out of the class
    versions = serializers.DictField(
        child=Integer(min_value=1), required=False, help_text="Version numbers by the template's full name."
    )
    from_label = Text(required=False, help_text="Propose what this label serves; `latest` for the newest versions.")
    templates = serializers.ListField(child=Text(), required=False, help_text="Full names, with `from_label`.")
    folder = Text(required=False, help_text="Instead of names: a folder, or the namespace for all of it.")


class ProposeReleaseInput(SelectionInput):
    """What a release asks for."""

    title = Text()
    description = Text(required=False, default="", help_text="Why, for the reviewers.")
    expected = ExpectedMembers()
    reviewers = serializers.ListField(
        child=Text(),
        required=False,
        default=list,
        max_length=20,
        help_text="Usernames, each asked for a review of the changes that their approval counts for.",
    )
    goes_live_at = Text(
        required=False,
        default="",
        help_text="When the worker publishes it (ISO 8601), in UTC where it names no offset.",
    )


class ReleaseMemberInput(Input):
    """A template to add, at one version."""

    template = Text()
    version = Integer(min_value=1)


class WithdrawalInput(Input):
    """Why the release is withdrawn."""

    reason = Text()


class ReleaseRollBackInput(Input):
    """Why labels go back, and which."""

    reason = Text()
    templates = serializers.ListField(
        child=Text(), required=False, default=list, help_text="Some of its templates; without, all of them."
    )
    expected = ExpectedMembers()


class PublishReleaseInput(Input):
    """What was seen of the templates. An empty object or no body publishes whatever is in the release by now."""

    expected = ExpectedMembers()


class Releases(IdempotentView):
    """The releases of a namespace."""

    @extend_schema(
        operation_id="listReleases",
        parameters=[OpenApiParameter("state", str), OpenApiParameter("cursor", str), OpenApiParameter("limit", int)],
        responses={200: ReleasePage, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, namespace: str) -> Response:
        """List releases, newest first. `state` is open, published or withdrawn."""
        page = queries.list_releases(identify_actor(request), namespace=namespace, **read_query(request, "state"))
        return answer_page(request, page, ReleaseItem.of)

    @extend_schema(operation_id="proposeRelease", request=ProposeReleaseInput, responses=MADE)
    def post(self, request: Request, namespace: str) -> Response:
        """Propose versions of several templates for one label, together. Templates that need no change are left out and
        listed.
        """
        body, actor = read_body(ProposeReleaseInput, request), identify_actor(request)
        text = body[change_schedules.FIELD]
        [proposed] = schedules.propose_releases_at(
            actor=actor,
            at=read_moment(change_schedules.FIELD, text, UTC) if text else None,
            reviewers=body["reviewers"],
            label=body["label"],
            title=body["title"],
            description=body["description"],
            selections={namespace: _read_selection(body)},
            expected=read_expected_members(body),
        )
        number = proposed.release.number
        answer = show_release(request, namespace, number, Verb.PROPOSE, 201, proposed.left_out)
        answer["Location"] = f"/api/v1/namespaces/{namespace}/releases/{number}"
        return answer


class Plan(APIView):
    """Plan a release without opening it."""

    @extend_schema(
        operation_id="planRelease",
        request=SelectionInput,
        responses={200: PlanOutput, "4XX": output_serializers.ProblemOutput},
    )
    def post(self, request: Request, namespace: str) -> Response:
        """Preview a release: what this selection would propose now, and the effects on each template. Nothing is
        stored.
        """
        body = read_body(SelectionInput, request)
        actor = identify_actor(request)
        plan = plans.plan_release(actor, namespace, body["label"], _read_selection(body))
        members = _preview_members(plan, body["label"], may_read=actor.key is None or not is_narrow(actor.key))
        return Response(PlanOutput.of({"members": members, "left_out": plan.left_out}))


class OneRelease(APIView):
    """One release."""

    @extend_schema(operation_id="getRelease", responses=_ANSWERS)
    def get(self, request: Request, namespace: str, number: int) -> Response:
        """Read a release: its templates, what each waits for, and the conversation. Not for limited keys."""
        return show_release(request, namespace, number, Verb.READ)


class Members(IdempotentView):
    """The templates of a release."""

    @extend_schema(operation_id="addToRelease", request=ReleaseMemberInput, responses=MADE)
    def post(self, request: Request, namespace: str, number: int) -> Response:
        """Add a template to an open release. An open request for the same version joins as it is."""
        body, actor = read_body(ReleaseMemberInput, request), identify_actor(request)
        queries.find_release(actor, Verb.PROPOSE, number, namespace)
        proposals.add_to_release(actor=actor, number=number, versions={body["template"]: body["version"]})
        return show_release(request, namespace, number, Verb.PROPOSE, 201)


class OneMember(APIView):
    """One change request of a release."""

    @extend_schema(operation_id="removeFromRelease", responses=_ANSWERS)
    def delete(self, request: Request, namespace: str, number: int, change: int) -> Response:
        """Remove a change from the release. It stays open with its approvals; the answer is the release without it."""
        actor = identify_actor(request)
        queries.find_release(actor, Verb.PROPOSE, number, namespace)
        proposals.remove_from_release(actor=actor, number=number, change=change)
        return show_release(request, namespace, number, Verb.PROPOSE)


class PublishRelease(IdempotentView):
    """The gate of a release."""

    @extend_schema(operation_id="publishRelease", request=PublishReleaseInput, responses=_ANSWERS)
    def post(self, request: Request, namespace: str, number: int) -> Response:
        """Publish a release: move all labels if nothing blocks any of them, otherwise none."""
        expected = read_expected_members(read_body(PublishReleaseInput, request))
        actor = identify_actor(request)
        queries.find_release(actor, Verb.PUBLISH, number, namespace)
        services.publish_release(actor=actor, number=number, expected=expected)
        return show_release(request, namespace, number, Verb.PUBLISH)


class WithdrawRelease(IdempotentView):
    """Withdraw a release."""

    @extend_schema(operation_id="withdrawRelease", request=WithdrawalInput, responses=_ANSWERS)
    def post(self, request: Request, namespace: str, number: int) -> Response:
        """Withdraw the release and its open change requests, with a reason."""
        body, actor = read_body(WithdrawalInput, request), identify_actor(request)
        queries.find_release(actor, Verb.PROPOSE, number, namespace)
        services.withdraw_release(actor=actor, number=number, reason=body["reason"])
        return show_release(request, namespace, number, Verb.PROPOSE)


class RollBackRelease(IdempotentView):
    """Roll a release back."""

    @extend_schema(operation_id="rollBackRelease", request=ReleaseRollBackInput, responses=_ANSWERS)
    def post(self, request: Request, namespace: str, number: int) -> Response:
        """Roll a release back: set the labels of all templates, or of the named ones, to what they served before it."""
        body, actor = read_body(ReleaseRollBackInput, request), identify_actor(request)
        queries.find_release(actor, Verb.ROLL_BACK, number, namespace)
        body["expected"] = read_expected_members(body)
        roll_backs.roll_back_release(actor=actor, number=number, **body)
        return show_release(request, namespace, number, Verb.ROLL_BACK)


class PreviewRollBack(APIView):
    """Preview what rolling a release back changes."""

    @extend_schema(
        operation_id="previewReleaseRollBack",
        responses={200: RollBackPreviewOutput, "4XX": output_serializers.ProblemOutput},
    )
    def get(self, request: Request, namespace: str, number: int) -> Response:
        """Preview a roll back: the version of each label, what blocks it, and who gets it. Nothing is stored. Not for
        limited keys.
        """
        actor = identify_actor(request)
        release = queries.find_release(actor, Verb.READ, number, namespace)
        return Response(RollBackPreviewOutput.of(roll_back_preview.preview_roll_back(release, actor)))


def _read_selection(body: dict[str, Any]) -> ReleaseSelection:
    return ReleaseSelection(**{name: body[name] for name in _SELECTION if name in body})


def _preview_members(plan: plans.ReleasePlan, label: str, *, may_read: bool) -> list[dict[str, Any]]:
    """The planned templates, each with the effects of its move. may_read: whether the caller sees every version."""
    previews = label_preview.preview_moves(label, [(member.template, member.version) for member in plan.members])
    return [
        {**vars(member), "preview": preview, "may_read": may_read}
        for member, preview in zip(plan.members, previews, strict=True)
    ]


def show_release(
    request: Request, namespace: str, number: int, verb: Verb, status: int = 200, left_out: Sequence[LeftOut] = ()
) -> Response:
    """The current state of the release, returned by every call that changes it. verb: what the call has just done."""
    actor = identify_actor(request)
    release = queries.find_release(actor, verb, number, namespace)
    return Response(ReleaseOutput.of(ReleaseFacts.read(release, actor, left_out)), status)
