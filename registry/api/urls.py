"""Addresses of the API."""

from django.urls import URLPattern, URLResolver, path, re_path, register_converter

from registry.api import openapi
from registry.api.errors import unknown_address
from registry.audit import api as audit_api
from registry.changes import api as change_api
from registry.changes import (
    conversation_api,
    dependant_api,
    merge_api,
    preview_api,
    rule_api,
    schedule_api,
    score_api,
    thread_api,
)
from registry.connections import api as connection_api
from registry.evaluations import attachment_api, dataset_api, run_api
from registry.improvements import api as improvement_api
from registry.invitations import api as invitation_api
from registry.namespaces import api as namespace_api
from registry.namespaces import key_api
from registry.notifications import api as notification_api
from registry.people import account_api, folder_role_api, group_api, role_api
from registry.people import api as people_api
from registry.releases import api as release_api
from registry.releases import comment_api, freeze_api
from registry.releases import decision_api as release_decision_api
from registry.releases import schedule_api as release_schedule_api
from registry.rest import converters
from registry.rollouts import api as rollout_api
from registry.rollouts import publish_api
from registry.serving import api as serving_api
from registry.serving import bundle_api, fetch_many_api, key_trial_api, vocabulary_api
from registry.templates import api as template_api
from registry.templates import import_api, label_api, rename_api, render_api, sample_api
from registry.usage import api as usage_api
from registry.usage import key_use_api, outcome_api
from registry.webhooks import api as webhook_api

register_converter(converters.NameConverter, "name")
register_converter(converters.RefConverter, "ref")

_RELEASE = "namespaces/<str:namespace>/releases/<int:number>"

urlpatterns: list[URLPattern | URLResolver] = [
    path("schema", openapi.Schema.as_view(), name="api-schema"),
    path("docs", openapi.Docs.as_view(), name="api-docs"),
    path("templates", template_api.Templates.as_view(), name="api-templates"),
    path("templates/<name:name>@<ref:ref>", serving_api.Fetch.as_view(), name="api-fetch"),
    path("templates/<name:name>/-/versions", serving_api.History.as_view(), name="api-versions"),
    path("templates/<name:name>/-/samples", sample_api.Samples.as_view(), name="api-samples"),
    path("templates/<name:name>/-/labels/<str:label>", label_api.Move.as_view(), name="api-label"),
    path("templates/<name:name>/-/labels/<str:label>/roll-back", label_api.RollBack.as_view(), name="api-roll-back"),
    path("templates/<name:name>/-/labels/<str:label>/history", label_api.History.as_view(), name="api-label-history"),
    path(
        "templates/<name:name>/-/labels/<str:label>/preview",
        preview_api.PreviewLabel.as_view(),
        name="api-label-preview",
    ),
    path(
        "templates/<name:name>/-/labels/<str:label>/document-preview",
        preview_api.PreviewDocument.as_view(),
        name="api-document-preview",
    ),
    path("templates/<name:name>/-/outcomes", outcome_api.TemplateOutcomes.as_view(), name="api-template-outcomes"),
    path("templates/<name:name>/-/dependants", dependant_api.Dependants.as_view(), name="api-dependants"),
    path("templates/<name:name>/-/follow", notification_api.Following.as_view(), name="api-follow"),
    path("templates/<name:name>/-/restore", template_api.Restore.as_view(), name="api-restore"),
    path("templates/<name:name>/-/archive", template_api.Archive.as_view(), name="api-archive"),
    path("templates/<name:name>/-/unarchive", template_api.Unarchive.as_view(), name="api-unarchive"),
    path("templates/<name:name>/-/rename", rename_api.Rename.as_view(), name="api-rename"),
    path("folders/<name:folder>/-/rename", rename_api.RenameFolder.as_view(), name="api-rename-folder"),
    path("templates/<name:name>", template_api.Template.as_view(), name="api-template"),
    path("changes", change_api.Changes.as_view(), name="api-changes"),
    path("changes/<int:number>", change_api.Change.as_view(), name="api-change"),
    path("changes/<int:number>/version", change_api.SetVersion.as_view(), name="api-change-version"),
    path("changes/<int:number>/decisions", change_api.Decide.as_view(), name="api-change-decisions"),
    path("changes/<int:number>/checks", change_api.RunChecks.as_view(), name="api-change-checks"),
    path("changes/<int:number>/contract", change_api.AcceptBreak.as_view(), name="api-change-contract"),
    path("changes/<int:number>/merge", merge_api.Merge.as_view(), name="api-change-merge"),
    path("changes/<int:number>/emergency", change_api.Emergency.as_view(), name="api-change-emergency"),
    path(
        "changes/<int:number>/emergency/close", change_api.CloseEmergency.as_view(), name="api-change-emergency-close"
    ),
    path("changes/<int:number>/publish", publish_api.Publish.as_view(), name="api-change-publish"),
    path("changes/<int:number>/schedule", schedule_api.ChangeSchedule.as_view(), name="api-change-schedule"),
    path("changes/<int:number>/withdraw", change_api.Withdraw.as_view(), name="api-change-withdraw"),
    path("changes/<int:number>/reopen", change_api.Reopen.as_view(), name="api-change-reopen"),
    path("changes/<int:number>/threads", thread_api.Threads.as_view(), name="api-threads"),
    path("changes/<int:number>/threads/<int:thread>/replies", thread_api.Replies.as_view(), name="api-thread-replies"),
    path("changes/<int:number>/threads/<int:thread>/resolve", thread_api.Resolve.as_view(), name="api-thread-resolve"),
    path(
        "changes/<int:number>/threads/<int:thread>/comments/<int:comment>",
        conversation_api.ThreadComment.as_view(),
        name="api-thread-comment",
    ),
    path(
        "changes/<int:number>/decisions/<int:decision>",
        conversation_api.WordsOfDecision.as_view(),
        name="api-change-decision",
    ),
    path("changes/<int:number>/reviewers", conversation_api.ReviewRequests.as_view(), name="api-change-reviewers"),
    path("changes/<int:number>/suggestions", thread_api.Suggestions.as_view(), name="api-change-suggestions"),
    path("datasets", dataset_api.Datasets.as_view(), name="api-datasets"),
    path("datasets/<name:name>/-/versions", dataset_api.Versions.as_view(), name="api-dataset-versions"),
    path("datasets/<name:name>/-/archive", dataset_api.ArchiveDataset.as_view(), name="api-dataset-archive"),
    path("datasets/<name:name>/-/unarchive", dataset_api.UnarchiveDataset.as_view(), name="api-dataset-unarchive"),
    path("datasets/<name:name>/-/rows", dataset_api.Rows.as_view(), name="api-dataset-rows"),
    path("datasets/<name:name>/-/diff", dataset_api.Difference.as_view(), name="api-dataset-diff"),
    path("datasets/<name:name>", dataset_api.Dataset.as_view(), name="api-dataset"),
    path("runs", run_api.Runs.as_view(), name="api-runs"),
    path("runs/estimate", run_api.RunEstimate.as_view(), name="api-run-estimate"),
    path("runs/together", run_api.RunsTogether.as_view(), name="api-runs-together"),
    path("runs/<int:number>", run_api.Run.as_view(), name="api-run"),
    path("runs/<int:number>/rows", run_api.Rows.as_view(), name="api-run-rows"),
    path("runs/<int:number>/cancel", run_api.Cancel.as_view(), name="api-run-cancel"),
    path("runs/<int:number>/rerun", run_api.Rerun.as_view(), name="api-run-rerun"),
    path("runs/<int:number>/compare", run_api.Compare.as_view(), name="api-run-compare"),
    path("runs/<int:number>/export", run_api.Export.as_view(), name="api-run-export"),
    path("runs/<int:number>/improvements", improvement_api.RunImprovements.as_view(), name="api-run-improvements"),
    path(
        "runs/<int:number>/improvements/plan",
        improvement_api.PlanImprovement.as_view(),
        name="api-improvement-plan",
    ),
    path("improvements/<int:number>", improvement_api.OneImprovement.as_view(), name="api-improvement"),
    path("improvements/<int:number>/stop", improvement_api.StopImprovement.as_view(), name="api-improvement-stop"),
    path("improvements/<int:number>/take", improvement_api.TakeImprovement.as_view(), name="api-improvement-take"),
    path(
        "improvements/<int:number>/dismiss",
        improvement_api.DismissImprovement.as_view(),
        name="api-improvement-dismiss",
    ),
    path("runs/<int:number>/scores", score_api.RunScores.as_view(), name="api-run-scores"),
    path("runs/<int:number>/rows/<int:index>/score", score_api.RowScore.as_view(), name="api-run-row-score"),
    path("models", attachment_api.Models.as_view(), name="api-models"),
    path("attachments", attachment_api.Attachments.as_view(), name="api-attachments"),
    path("attachments/<str:namespace>/<str:name>", attachment_api.Attachment.as_view(), name="api-attachment"),
    path("namespaces/<str:namespace>/bundle", bundle_api.Bundle.as_view(), name="api-bundle"),
    path("namespaces/<str:namespace>/moves", bundle_api.Moves.as_view(), name="api-moves"),
    path("reports", usage_api.Reports.as_view(), name="api-reports"),
    path("outcomes", outcome_api.Outcomes.as_view(), name="api-outcomes"),
    path("fetch", fetch_many_api.FetchMany.as_view(), name="api-fetch-many"),
    path("vocabularies/<str:digest>", vocabulary_api.Vocabulary.as_view(), name="api-vocabulary"),
    path("namespaces", namespace_api.Namespaces.as_view(), name="api-namespaces"),
    path("namespaces/<str:namespace>/rules/preview", rule_api.PreviewRules.as_view(), name="api-rules-preview"),
    path("namespaces/<str:namespace>", rule_api.OneNamespace.as_view(), name="api-namespace"),
    path("namespaces/<str:namespace>/members", namespace_api.Members.as_view(), name="api-members"),
    path("namespaces/<str:namespace>/members/<str:person>", role_api.Member.as_view(), name="api-member"),
    path(
        "namespaces/<str:namespace>/members/<str:person>/preview",
        role_api.PreviewRole.as_view(),
        name="api-member-preview",
    ),
    path("namespaces/<str:namespace>/folder-roles", folder_role_api.FolderRoles.as_view(), name="api-folder-roles"),
    path(
        "namespaces/<str:namespace>/folder-roles/preview",
        folder_role_api.PreviewFolderRole.as_view(),
        name="api-folder-role-preview",
    ),
    path(
        "namespaces/<str:namespace>/folder-roles/people/<str:person>/<path:folder>",
        folder_role_api.FolderRoleOfPerson.as_view(),
        name="api-folder-role-of-person",
    ),
    path(
        "namespaces/<str:namespace>/folder-roles/groups/<str:group>/<path:folder>",
        folder_role_api.FolderRoleOfGroup.as_view(),
        name="api-folder-role-of-group",
    ),
    path("namespaces/<str:namespace>/groups", group_api.Groups.as_view(), name="api-groups"),
    path("namespaces/<str:namespace>/groups/<str:group>", group_api.OneGroup.as_view(), name="api-group"),
    path(
        "namespaces/<str:namespace>/groups/<str:group>/preview",
        group_api.PreviewGroup.as_view(),
        name="api-group-preview",
    ),
    path(
        "namespaces/<str:namespace>/groups/<str:group>/people/<str:person>/preview",
        group_api.PreviewLeaving.as_view(),
        name="api-group-person-preview",
    ),
    path(
        "namespaces/<str:namespace>/groups/<str:group>/people/<str:person>",
        group_api.GroupPerson.as_view(),
        name="api-group-person",
    ),
    path("namespaces/<str:namespace>/invitations", invitation_api.Invitations.as_view(), name="api-invitations"),
    path("namespaces/<str:namespace>/freezes", freeze_api.Freezes.as_view(), name="api-freezes"),
    path("namespaces/<str:namespace>/freezes/<int:number>", freeze_api.OneFreeze.as_view(), name="api-freeze"),
    path("invitations/<str:invitation>", invitation_api.OneInvitation.as_view(), name="api-invitation"),
    path("namespaces/<str:namespace>/connections", connection_api.Connections.as_view(), name="api-connections"),
    path("namespaces/<str:namespace>/spending", connection_api.SpendingOfNamespace.as_view(), name="api-spending"),
    path("connections/<str:connection>", connection_api.OneConnection.as_view(), name="api-connection"),
    path("connections/<str:connection>/try", connection_api.TryConnection.as_view(), name="api-connection-try"),
    path("namespaces/<str:namespace>/releases", release_api.Releases.as_view(), name="api-releases"),
    path("namespaces/<str:namespace>/releases/plan", release_api.Plan.as_view(), name="api-release-plan"),
    path(_RELEASE, release_api.OneRelease.as_view(), name="api-release"),
    path(f"{_RELEASE}/members", release_api.Members.as_view(), name="api-release-members"),
    path(f"{_RELEASE}/members/<int:change>", release_api.OneMember.as_view(), name="api-release-member"),
    path(f"{_RELEASE}/approvals", release_decision_api.Approvals.as_view(), name="api-release-approvals"),
    path(f"{_RELEASE}/edit-requests", release_decision_api.EditRequests.as_view(), name="api-release-edit-requests"),
    path(f"{_RELEASE}/comments", comment_api.Comments.as_view(), name="api-release-comments"),
    path(f"{_RELEASE}/comments/<int:comment>", comment_api.OneComment.as_view(), name="api-release-comment"),
    path(f"{_RELEASE}/publish", release_api.PublishRelease.as_view(), name="api-release-publish"),
    path(f"{_RELEASE}/schedule", release_schedule_api.ReleaseSchedule.as_view(), name="api-release-schedule"),
    path(f"{_RELEASE}/withdraw", release_api.WithdrawRelease.as_view(), name="api-release-withdraw"),
    path(f"{_RELEASE}/roll-back", release_api.RollBackRelease.as_view(), name="api-release-roll-back"),
    path(f"{_RELEASE}/roll-back/preview", release_api.PreviewRollBack.as_view(), name="api-release-roll-back-preview"),
    path("rollouts", rollout_api.Rollouts.as_view(), name="api-rollouts"),
    path("rollouts/<int:number>", rollout_api.OneRollout.as_view(), name="api-rollout"),
    path("rollouts/<int:number>/step", rollout_api.StepRollout.as_view(), name="api-rollout-step"),
    path("rollouts/<int:number>/pause", rollout_api.PauseRollout.as_view(), name="api-rollout-pause"),
    path("rollouts/<int:number>/resume", rollout_api.ResumeRollout.as_view(), name="api-rollout-resume"),
    path("rollouts/<int:number>/stop", rollout_api.StopRollout.as_view(), name="api-rollout-stop"),
    path("rollouts/<int:number>/finish", rollout_api.FinishRollout.as_view(), name="api-rollout-finish"),
    path("namespaces/<str:namespace>/webhooks", webhook_api.Webhooks.as_view(), name="api-webhooks"),
    path("webhooks/<str:webhook>", webhook_api.OneWebhook.as_view(), name="api-webhook"),
    path("webhooks/<str:webhook>/rotate", webhook_api.Rotate.as_view(), name="api-webhook-rotate"),
    path("webhooks/<str:webhook>/ping", webhook_api.Ping.as_view(), name="api-webhook-ping"),
    path("webhooks/<str:webhook>/replay", webhook_api.Replay.as_view(), name="api-webhook-replay"),
    path("webhooks/<str:webhook>/deliveries", webhook_api.Deliveries.as_view(), name="api-webhook-deliveries"),
    path("namespaces/<str:namespace>/keys", key_api.Keys.as_view(), name="api-keys"),
    path("namespaces/<str:namespace>/events", audit_api.Events.as_view(), name="api-events"),
    path("namespaces/<str:namespace>/events/export", audit_api.Export.as_view(), name="api-events-export"),
    path("namespaces/<str:namespace>/chain", audit_api.ChainState.as_view(), name="api-chain"),
    path("account", account_api.OwnAccount.as_view(), name="api-account"),
    path("account/sessions", account_api.OwnSessions.as_view(), name="api-sessions"),
    path("account/sessions/<int:session>", account_api.OneSession.as_view(), name="api-session"),
    path("people", people_api.People.as_view(), name="api-people"),
    path("people/<str:person>/deactivation", people_api.DeactivationPreview.as_view(), name="api-person-deactivation"),
    path("people/<str:person>/deactivate", people_api.Deactivation.as_view(), name="api-person-deactivate"),
    path("people/<str:person>/reactivate", people_api.Reactivation.as_view(), name="api-person-reactivate"),
    path("people/<str:person>/second-step", people_api.SecondStep.as_view(), name="api-person-second-step"),
    path("people/<str:person>/remind", notification_api.TwoStepReminder.as_view(), name="api-person-remind"),
    path("people/<str:person>/sessions", people_api.PersonSessions.as_view(), name="api-person-sessions"),
    path("keys", key_api.OwnKeys.as_view(), name="api-own-keys"),
    path("keys/<str:key>", key_api.OneKey.as_view(), name="api-key"),
    path("keys/<str:key>/use", key_use_api.KeyUse.as_view(), name="api-key-use"),
    path("keys/<str:key>/abilities", key_trial_api.KeyAbilities.as_view(), name="api-key-abilities"),
    path("keys/<str:key>/try", key_trial_api.KeyTrials.as_view(), name="api-key-try"),
    path("keys/<str:key>/keep", key_api.Keep.as_view(), name="api-key-keep"),
    path("keys/<str:key>/rotate", key_api.Rotate.as_view(), name="api-key-rotate"),
    path("check", render_api.Check.as_view(), name="api-check"),
    path("imports", import_api.Imports.as_view(), name="api-imports"),
    path("render", render_api.Render.as_view(), name="api-render"),
    re_path(r"^(?P<rest>.*)$", unknown_address, name="api-unknown"),
]
