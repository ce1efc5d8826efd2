"""Every kind of event, registered. Imported with the models, so that all kinds are known before a journal is read."""

# The order of these lines is the order of kinds in lists.
# isort: off
from registry.namespaces import events as namespace_events
from registry.namespaces import group_events
from registry.namespaces import folder_role_events
from registry.templates import events as template_events
from registry.templates import label_events
from registry.changes import events as change_events
from registry.changes import review_events
from registry.changes import conversation_events
from registry.changes import schedule_events
from registry.releases import events as release_events
from registry.releases import comment_events as release_comment_events
from registry.releases import schedule_events as release_schedule_events
from registry.rollouts import events as rollout_events
from registry.evaluations import events as evaluation_events
from registry.webhooks import events as webhook_events
from registry.connections import events as connection_events
from registry.freezes import events as freeze_events
from registry.invitations import events as invitation_events
from registry.accounts import events as account_events
# isort: on

__all__ = [
    "account_events",
    "change_events",
    "connection_events",
    "conversation_events",
    "evaluation_events",
    "folder_role_events",
    "freeze_events",
    "group_events",
    "invitation_events",
    "label_events",
    "namespace_events",
    "release_comment_events",
    "release_events",
    "release_schedule_events",
    "review_events",
    "rollout_events",
    "schedule_events",
    "template_events",
    "webhook_events",
]
