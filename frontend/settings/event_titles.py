"""The kinds of events in the reader's language. API clients and chat channels get the English ones."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from registry.journal.event import describe_kind

__all__ = ["EVENT_TITLES", "find_title"]

# By kind; a test compares them with `registry.journal.event.describe_kind`.
EVENT_TITLES: Mapping[str, str | Promise] = {
    "namespace.created": gettext_lazy("Namespace created"),
    "namespace.ruled": gettext_lazy("Rules changed"),
    "member.set": gettext_lazy("Role changed"),
    "folder_role.set": gettext_lazy("Role in a folder changed"),
    "group.set": gettext_lazy("Group created or changed"),
    "group.removed": gettext_lazy("Group removed"),
    "group.joined": gettext_lazy("Person added to a group"),
    "group.left": gettext_lazy("Person removed from a group"),
    "key.issued": gettext_lazy("Key issued"),
    "key.kept": gettext_lazy("Revocation of a key cancelled"),
    "key.revoked": gettext_lazy("Key revoked"),
    "key.rotated": gettext_lazy("Key rotated"),
    "key.addresses_set": gettext_lazy("Addresses of a key changed"),
    "version.saved": gettext_lazy("Version saved"),
    "version.redacted": gettext_lazy("Version redacted"),
    "samples.saved": gettext_lazy("Samples saved"),
    "template.archived": gettext_lazy("Template archived"),
    "template.unarchived": gettext_lazy("Template restored"),
    "template.renamed": gettext_lazy("Template renamed"),
    "label.moved": gettext_lazy("Label moved"),
    "change.proposed": gettext_lazy("Change proposed"),
    "change.headed": gettext_lazy("Change updated"),
    "change.decided": gettext_lazy("Change reviewed"),
    "change.withdrawn": gettext_lazy("Change withdrawn"),
    "change.reopened": gettext_lazy("Change reopened"),
    "emergency.closed": gettext_lazy("Emergency closed without approval"),
    "review.requested": gettext_lazy("Review requested"),
    "comment.added": gettext_lazy("Comment added"),
    "comment.edited": gettext_lazy("Comment edited"),
    "comment.deleted": gettext_lazy("Comment deleted"),
    "thread.resolved": gettext_lazy("Thread resolved"),
    "verdict.given": gettext_lazy("Check finished"),
    "scores.counted": gettext_lazy("Scores counted"),
    "change.scheduled": gettext_lazy("Change scheduled"),
    "change.unscheduled": gettext_lazy("Schedule of a change ended"),
    "release.opened": gettext_lazy("Release opened"),
    "release.changed": gettext_lazy("Release changed"),
    "release.published": gettext_lazy("Release published"),
    "release.withdrawn": gettext_lazy("Release withdrawn"),
    "release.rolled_back": gettext_lazy("Release rolled back"),
    "release.commented": gettext_lazy("Release commented"),
    "release.comment_edited": gettext_lazy("Release comment edited"),
    "release.comment_deleted": gettext_lazy("Release comment deleted"),
    "release.scheduled": gettext_lazy("Release scheduled"),
    "release.unscheduled": gettext_lazy("Schedule of a release ended"),
    "rollout.started": gettext_lazy("Rollout started"),
    "rollout.stepped": gettext_lazy("Rollout stepped"),
    "rollout.paused": gettext_lazy("Rollout paused"),
    "rollout.resumed": gettext_lazy("Rollout resumed"),
    "rollout.stopped": gettext_lazy("Rollout stopped"),
    "rollout.finished": gettext_lazy("Rollout finished"),
    "dataset.saved": gettext_lazy("Dataset saved"),
    "dataset.archived": gettext_lazy("Dataset archived"),
    "dataset.unarchived": gettext_lazy("Dataset restored"),
    "evaluation.attached": gettext_lazy("Evaluation attached"),
    "evaluation.detached": gettext_lazy("Evaluation detached"),
    "evaluation.failing": gettext_lazy("Evaluation failing"),
    "evaluation.recovered": gettext_lazy("Evaluation recovered"),
    "webhook.set": gettext_lazy("Webhook set"),
    "webhook.removed": gettext_lazy("Webhook removed"),
    "connection.set": gettext_lazy("Model connection set"),
    "connection.removed": gettext_lazy("Model connection removed"),
    "spending.capped": gettext_lazy("Spending cap set"),
    "freeze.set": gettext_lazy("Freeze set"),
    "freeze.removed": gettext_lazy("Freeze removed"),
    "invitation.made": gettext_lazy("Invitation created"),
    "invitation.ended": gettext_lazy("Invitation ended"),
    "person.deactivated": gettext_lazy("Person deactivated"),
    "person.reactivated": gettext_lazy("Person reactivated"),
    "person.second_step_reset": gettext_lazy("Two-step sign-in reset"),
}


def find_title(kind: str) -> str | Promise:
    """The kind in words; in English if it isn't translated."""
    return EVENT_TITLES.get(kind) or describe_kind(kind)
