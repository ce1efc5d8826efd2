"""Who may call each address of the API: one table, checked against the existing addresses."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.urls import URLPattern

from promptuary.renderer.tokens.vocabularies import VOCABULARIES
from registry.api.urls import urlpatterns
from registry.changes import check_results, decisions, emergencies, rules, schedules, threads
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.changes.threads import Place
from registry.connections import services as connection_services
from registry.evaluations import attachments, datasets, run_worker, start_runs
from registry.freezes import services as freeze_services
from registry.invitations import services as invitation_services
from registry.namespaces import folder_roles, keys
from registry.namespaces import groups as group_services
from registry.people import group_access, role_effects
from registry.releases import proposals
from registry.releases import schedules as release_schedules
from registry.releases import services as release_services
from registry.releases.plans import ReleaseSelection
from registry.rollouts import services as rollout_services
from registry.webhooks import services as webhook_services
from tests.api.conftest import DOCUMENT, OTHER, REPLY, SAMPLES, THIRD, Caller
from tests.support.asked_improvements import ASKING, write_improvements
from tests.support.recorded_rows import write_or_insert
from tests.support.sessions import manage_accounts, open_session

IMPROVE = {"model": "echo", "prompt": ASKING}
SOON = (datetime.now(UTC) + timedelta(days=30)).isoformat()
CALLERS = ("anonymous", "outsider", "reader", "author", "reviewer", "admin", "read key", "write key", "revoked key")
# read key and write key act for the author, the outsider is an admin of another namespace; the read key is limited to
# approved versions, because production is protected
ANYONE = (200,) * 9
INSTALLATION_ADMINS = (401, 403, 403, 403, 403, 200, 403, 403, 401)  # appointed admin by the operator
PEOPLE = (401, 200, 200, 200, 200, 200, 403, 403, 401)
SIGNED_IN = (401, 200, 200, 200, 200, 200, 200, 200, 401)
READERS = (401, 404, 200, 200, 200, 200, 200, 200, 401)
FOLLOWERS = (401, 404, 200, 200, 200, 200, 403, 403, 401)  # people only
READERS_OF_ALL = (401, 404, 200, 200, 200, 200, 403, 200, 401)  # shows text of any version: no limited key
SIGNED_IN_OF_ALL = (401, 200, 200, 200, 200, 200, 403, 200, 401)
AUTHORS = (401, 404, 403, 200, 200, 200, 403, 200, 401)
AUTHORS_MAKE = (401, 404, 403, 201, 201, 201, 403, 201, 401)
AUTHORS_REMOVE = (401, 404, 403, 204, 204, 204, 403, 204, 401)
AUTHORS_ASK = (401, 404, 403, 202, 202, 202, 403, 202, 401)
REVIEWERS = (401, 404, 403, 403, 200, 200, 403, 403, 401)
WRITER_OF_COMMENT = (401, 404, 403, 403, 200, 403, 403, 403, 401)  # the reviewer wrote it
NO_SUCH_DECISION = (401, 404, 403, 404, 404, 404, 403, 404, 401)
OTHERS_ASK = (401, 404, 403, 201, 201, 422, 403, 201, 401)  # people can't request their own review
ANOTHER_REVIEWER = (401, 404, 403, 403, 200, 403, 403, 403, 401)  # the admin published it in the emergency
REVIEWERS_IN_PERSON = (401, 404, 403, 403, 201, 201, 403, 403, 401)
ADMINS = (401, 404, 403, 403, 403, 200, 403, 403, 401)
ADMINS_TRY = (401, 404, 403, 403, 403, 409, 403, 403, 401)  # nothing listens there
ADMINS_ASK = (401, 404, 403, 403, 403, 202, 403, 403, 401)
ADMINS_MAKE = (401, 404, 403, 403, 403, 201, 403, 403, 401)
ADMINS_REMOVE = (401, 404, 403, 403, 403, 204, 403, 403, 401)
PEOPLE_MAKE = (401, 201, 201, 201, 201, 201, 403, 403, 401)
ITS_AUTHOR = (401, 404, 404, 200, 404, 404, 403, 200, 401)  # an improvement is its person's own
NOBODY = (404,) * 9

T = f"templates/{REPLY}"
D = "datasets/support/questions"
SELECTION = {"label": "production", "versions": {REPLY: 3}}
PROPOSAL = {"template": REPLY, "label": "production", "version": 3, "message": "Please"}
# route name and method: path, body, expected statuses in the order of CALLERS
TABLE: dict[tuple[str, str], tuple[str, Any, tuple[int, ...]]] = {
    ("api-schema", "GET"): ("schema", None, ANYONE),
    ("api-docs", "GET"): ("docs", None, ANYONE),
    ("api-templates", "GET"): ("templates", None, SIGNED_IN),
    ("api-fetch", "GET"): (f"{T}@production", None, READERS),
    ("api-vocabulary", "GET"): (f"vocabularies/sha256:{VOCABULARIES['o200k_base'].sha256}", None, SIGNED_IN),
    ("api-versions", "GET"): (f"{T}/-/versions", None, READERS),
    ("api-samples", "GET"): (f"{T}/-/samples", None, READERS_OF_ALL),
    ("api-samples", "PUT"): (f"{T}/-/samples", {"samples": SAMPLES}, AUTHORS),
    ("api-label", "PUT"): (f"{T}/-/labels/staging", {"version": 1, "expected": None}, AUTHORS),
    ("api-roll-back", "POST"): (f"{T}/-/labels/production/roll-back", {"version": 1, "reason": "Broken"}, REVIEWERS),
    ("api-label-history", "GET"): (f"{T}/-/labels/production/history", None, READERS),
    ("api-label-preview", "GET"): (f"{T}/-/labels/production/preview?version=3", None, READERS_OF_ALL),
    ("api-document-preview", "POST"): (
        f"{T}/-/labels/production/document-preview",
        {"document": DOCUMENT},
        (401, 404, 403, 200, 200, 200, 403, 200, 401),
    ),
    ("api-dependants", "GET"): (f"{T}/-/dependants", None, READERS_OF_ALL),
    ("api-dependants", "POST"): (
        f"{T}/-/dependants",
        {"version": 1},
        READERS_OF_ALL,
    ),  # each dependant says who may not
    ("api-follow", "GET"): (f"{T}/-/follow", None, FOLLOWERS),
    ("api-follow", "PUT"): (f"{T}/-/follow", {"topics": ["published"]}, FOLLOWERS),
    ("api-follow", "DELETE"): (f"{T}/-/follow", None, (401, 404, 204, 204, 204, 204, 403, 403, 401)),
    # a person who may save must name the version that it is based on
    ("api-restore", "POST"): (f"{T}/-/restore", {"version": 1}, (401, 404, 403, 428, 428, 428, 403, 428, 401)),
    ("api-archive", "POST"): ("templates/support/withdrawn/-/archive", {"reason": "Nobody uses it"}, ADMINS),
    ("api-unarchive", "POST"): (f"{T}/-/unarchive", None, ADMINS),
    ("api-rename", "POST"): (f"{T}/-/rename", {"to": "support/renamed"}, ADMINS),
    ("api-rename-folder", "POST"): ("folders/support/refunds/-/rename", {"to": "support/returns"}, ADMINS),
    ("api-template", "GET"): (T, None, READERS),
    ("api-template", "PUT"): ("templates/support/new", {"document": DOCUMENT, "message": "New"}, AUTHORS_MAKE),
    ("api-changes", "GET"): ("changes", None, SIGNED_IN_OF_ALL),
    ("api-changes", "POST"): ("changes", PROPOSAL, AUTHORS_MAKE),
    ("api-change", "GET"): ("changes/{open}", None, READERS_OF_ALL),
    ("api-change-version", "POST"): ("changes/{open}/version", {"version": 2}, AUTHORS),
    ("api-change-decisions", "POST"): (
        "changes/{open}/decisions",
        {"decision": "approve", "digest": "{digest}"},
        REVIEWERS_IN_PERSON,
    ),
    ("api-change-checks", "POST"): ("changes/{open}/checks", None, AUTHORS_ASK),
    ("api-change-contract", "POST"): (
        "changes/{broken}/contract",
        {"digest": "{broken_digest}", "text": "Nobody sends it"},
        REVIEWERS_IN_PERSON,
    ),
    ("api-change-merge", "GET"): ("changes/{beside}/merge", None, READERS_OF_ALL),
    ("api-change-merge", "POST"): ("changes/{beside}/merge", {}, AUTHORS),
    ("api-change-emergency", "POST"): ("changes/{open}/emergency", {"reason": "It insults people"}, REVIEWERS),
    ("api-change-emergency-close", "POST"): (
        "changes/{emergency}/emergency/close",
        {"reason": "The next version holds it"},
        ANOTHER_REVIEWER,
    ),
    ("api-change-publish", "POST"): ("changes/{approved}/publish", None, AUTHORS),
    ("api-change-schedule", "PUT"): ("changes/{open}/schedule", {"goes_live_at": SOON}, AUTHORS),
    ("api-change-schedule", "DELETE"): ("changes/{approved}/schedule", None, AUTHORS),
    ("api-change-withdraw", "POST"): ("changes/{open}/withdraw", {"reason": "No"}, AUTHORS),
    ("api-change-reopen", "POST"): ("changes/{withdrawn}/reopen", None, AUTHORS),
    ("api-threads", "GET"): ("changes/{open}/threads", None, READERS_OF_ALL),
    ("api-threads", "POST"): ("changes/{open}/threads", {"version": 1, "line": 1, "text": "Why?"}, AUTHORS_MAKE),
    ("api-thread-replies", "POST"): ("changes/{open}/threads/1/replies", {"text": "So"}, AUTHORS_MAKE),
    ("api-thread-resolve", "POST"): ("changes/{open}/threads/1/resolve", None, AUTHORS),
    ("api-thread-comment", "PATCH"): ("changes/{open}/threads/1/comments/1", {"text": "So"}, WRITER_OF_COMMENT),
    ("api-thread-comment", "DELETE"): ("changes/{open}/threads/1/comments/1", None, WRITER_OF_COMMENT),
    ("api-change-decision", "PATCH"): ("changes/{open}/decisions/9", {"text": "So"}, NO_SUCH_DECISION),
    ("api-change-decision", "DELETE"): ("changes/{open}/decisions/9", None, NO_SUCH_DECISION),
    ("api-change-reviewers", "POST"): ("changes/{open}/reviewers", {"person": "admin"}, OTHERS_ASK),
    ("api-change-suggestions", "POST"): (
        "changes/{open}/suggestions",
        {"comments": [{"thread": 1, "comment": 1}]},
        AUTHORS,
    ),
    ("api-fetch-many", "POST"): ("fetch", {"refs": [f"{REPLY}@1"]}, SIGNED_IN),  # each ref says who may not
    ("api-namespaces", "GET"): ("namespaces", None, SIGNED_IN),
    ("api-namespaces", "POST"): ("namespaces", {"name": "sales", "protected_labels": ["production"]}, PEOPLE_MAKE),
    ("api-namespace", "GET"): ("namespaces/support", None, READERS),
    ("api-namespace", "PATCH"): ("namespaces/support", {"approvals": 2}, ADMINS),
    ("api-rules-preview", "POST"): ("namespaces/support/rules/preview", {"approvals": 2}, ADMINS),
    ("api-members", "GET"): ("namespaces/support/members", None, READERS),
    ("api-member-preview", "GET"): ("namespaces/support/members/reader/preview?role=author", None, ADMINS),
    ("api-member", "PUT"): ("namespaces/support/members/outsider", {"role": "reader"}, ADMINS),
    ("api-member", "DELETE"): ("namespaces/support/members/reader?confirmed={seal}", None, ADMINS_REMOVE),
    ("api-folder-roles", "GET"): ("namespaces/support/folder-roles", None, READERS),
    ("api-folder-role-of-person", "PUT"): (
        "namespaces/support/folder-roles/people/author/spare",
        {"role": "reviewer"},
        ADMINS,
    ),
    ("api-folder-role-of-person", "DELETE"): (
        "namespaces/support/folder-roles/people/reader/spare",
        None,
        ADMINS_REMOVE,
    ),
    ("api-folder-role-of-group", "PUT"): (
        "namespaces/support/folder-roles/groups/legal/spare/more",
        {"role": "author"},
        ADMINS,
    ),
    ("api-folder-role-of-group", "DELETE"): (
        "namespaces/support/folder-roles/groups/legal/spare",
        None,
        ADMINS_REMOVE,
    ),
    ("api-groups", "GET"): ("namespaces/support/groups", None, READERS),
    ("api-groups", "POST"): ("namespaces/support/groups", {"title": "Medicine"}, ADMINS_MAKE),
    ("api-group", "GET"): ("namespaces/support/groups/legal", None, READERS),
    ("api-group", "PATCH"): ("namespaces/support/groups/legal", {"role": "author"}, ADMINS),
    ("api-group-preview", "GET"): ("namespaces/support/groups/legal/preview?role=none", None, ADMINS),
    ("api-group-person-preview", "GET"): ("namespaces/support/groups/legal/people/reader/preview", None, ADMINS),
    ("api-folder-role-preview", "GET"): (
        "namespaces/support/folder-roles/preview?folder=spare&person=reader",
        None,
        ADMINS,
    ),
    ("api-group", "DELETE"): ("namespaces/support/groups/legal?confirmed={group_seal}", None, ADMINS_REMOVE),
    ("api-group-person", "PUT"): ("namespaces/support/groups/legal/people/author", None, ADMINS),
    ("api-group-person", "DELETE"): ("namespaces/support/groups/legal/people/reader", None, ADMINS_REMOVE),
    ("api-invitations", "GET"): ("namespaces/support/invitations", None, ADMINS),
    ("api-invitations", "POST"): ("namespaces/support/invitations", {"role": "reader"}, ADMINS_MAKE),
    ("api-invitation", "DELETE"): ("invitations/{invitation}", None, ADMINS_REMOVE),
    ("api-freezes", "GET"): ("namespaces/support/freezes", None, READERS),
    ("api-freezes", "POST"): (
        "namespaces/support/freezes",
        {"repeat": "weekly", "starts": "fri 16:00", "ends": "mon 08:00", "reason": "Weekend"},
        ADMINS_MAKE,
    ),
    ("api-freeze", "DELETE"): ("namespaces/support/freezes/{freeze}", None, ADMINS_REMOVE),
    ("api-connections", "GET"): ("namespaces/support/connections", None, ADMINS),
    ("api-connections", "POST"): (
        "namespaces/support/connections",
        {"name": "second", "base_url": "http://127.0.0.1:9/v1", "model": "second-1"},
        ADMINS_MAKE,
    ),
    ("api-connection", "PATCH"): ("connections/{connection}", {"model": "other"}, ADMINS),
    ("api-connection", "DELETE"): ("connections/{connection}", None, ADMINS_REMOVE),
    ("api-connection-try", "POST"): ("connections/{connection}/try", None, ADMINS_TRY),
    ("api-spending", "GET"): ("namespaces/support/spending", None, ADMINS),
    ("api-spending", "PUT"): ("namespaces/support/spending", {"person_day": "5", "namespace_month": None}, ADMINS),
    ("api-releases", "GET"): ("namespaces/support/releases", None, READERS_OF_ALL),
    ("api-releases", "POST"): ("namespaces/support/releases", {**SELECTION, "title": "Together"}, AUTHORS_MAKE),
    ("api-release-plan", "POST"): ("namespaces/support/releases/plan", SELECTION, AUTHORS),
    ("api-release", "GET"): ("namespaces/support/releases/{release}", None, READERS_OF_ALL),
    ("api-release-members", "POST"): (
        "namespaces/support/releases/{release}/members",
        {"template": REPLY, "version": 3},
        AUTHORS_MAKE,
    ),
    ("api-release-member", "DELETE"): ("namespaces/support/releases/{release}/members/{member}", None, AUTHORS),
    ("api-release-approvals", "POST"): (
        "namespaces/support/releases/{release}/approvals",
        {"digests": {}},
        REVIEWERS_IN_PERSON,
    ),
    ("api-release-edit-requests", "POST"): (
        "namespaces/support/releases/{release}/edit-requests",
        {"digests": {}, "text": "Shorter"},
        REVIEWERS_IN_PERSON,
    ),
    ("api-release-comments", "POST"): ("namespaces/support/releases/{release}/comments", {"text": "Hm"}, AUTHORS_MAKE),
    ("api-release-comment", "PATCH"): (
        "namespaces/support/releases/{release}/comments/1",
        {"text": "So"},
        NO_SUCH_DECISION,
    ),
    ("api-release-comment", "DELETE"): ("namespaces/support/releases/{release}/comments/1", None, NO_SUCH_DECISION),
    ("api-release-schedule", "PUT"): (
        "namespaces/support/releases/{release}/schedule",
        {"goes_live_at": SOON},
        AUTHORS,
    ),
    ("api-release-schedule", "DELETE"): ("namespaces/support/releases/{release_approved}/schedule", None, AUTHORS),
    ("api-release-publish", "POST"): ("namespaces/support/releases/{release_approved}/publish", None, AUTHORS),
    ("api-release-withdraw", "POST"): ("namespaces/support/releases/{release}/withdraw", {"reason": "No"}, AUTHORS),
    ("api-release-roll-back", "POST"): (
        "namespaces/support/releases/{release_live}/roll-back",
        {"reason": "Broken"},
        REVIEWERS,
    ),
    ("api-release-roll-back-preview", "GET"): (
        "namespaces/support/releases/{release_live}/roll-back/preview",
        None,
        READERS_OF_ALL,
    ),
    ("api-rollouts", "GET"): ("rollouts", None, SIGNED_IN_OF_ALL),
    ("api-rollouts", "POST"): ("rollouts", {"change": "{ready}"}, AUTHORS_MAKE),
    ("api-rollout", "GET"): ("rollouts/{rollout}", None, READERS_OF_ALL),
    ("api-rollout-step", "POST"): ("rollouts/{rollout}/step", None, AUTHORS),
    ("api-rollout-pause", "POST"): ("rollouts/{rollout}/pause", {"reason": "Lunch"}, AUTHORS),
    ("api-rollout-resume", "POST"): ("rollouts/{rollout_paused}/resume", None, AUTHORS),
    ("api-rollout-stop", "POST"): ("rollouts/{rollout}/stop", {"reason": "Broken"}, REVIEWERS),
    ("api-rollout-finish", "POST"): ("rollouts/{rollout}/finish", None, AUTHORS),
    ("api-webhooks", "GET"): ("namespaces/support/webhooks", None, ADMINS),
    ("api-webhooks", "POST"): ("namespaces/support/webhooks", {"url": "http://127.0.0.1:9/"}, ADMINS_MAKE),
    ("api-webhook", "PATCH"): ("webhooks/{webhook}", {"template": "a/*"}, ADMINS),
    ("api-webhook", "DELETE"): ("webhooks/{webhook}", None, ADMINS_REMOVE),
    ("api-webhook-rotate", "POST"): ("webhooks/{webhook}/rotate", {}, ADMINS),
    ("api-webhook-ping", "POST"): ("webhooks/{webhook}/ping", None, ADMINS_ASK),
    ("api-webhook-replay", "POST"): ("webhooks/{webhook}/replay", {}, ADMINS_ASK),
    ("api-webhook-deliveries", "GET"): ("webhooks/{webhook}/deliveries", None, ADMINS),
    ("api-keys", "GET"): ("namespaces/support/keys", None, ADMINS),
    ("api-keys", "POST"): ("namespaces/support/keys", {"name": "bot", "scope": "read"}, ADMINS_MAKE),
    ("api-events", "GET"): ("namespaces/support/events", None, READERS_OF_ALL),
    ("api-events-export", "GET"): ("namespaces/support/events/export?format=csv", None, READERS_OF_ALL),
    ("api-chain", "GET"): ("namespaces/support/chain", None, READERS),
    ("api-chain", "POST"): ("namespaces/support/chain", None, ADMINS_ASK),
    ("api-account", "GET"): ("account", None, PEOPLE),
    ("api-account", "PATCH"): ("account", {"full_name": "Somebody", "email": "somebody@example.org"}, PEOPLE),
    ("api-sessions", "GET"): ("account/sessions", None, PEOPLE),
    ("api-sessions", "DELETE"): ("account/sessions", None, PEOPLE),
    ("api-session", "DELETE"): ("account/sessions/{session}", None, (401, 404, 404, 404, 404, 204, 403, 403, 401)),
    ("api-people", "GET"): ("people", None, (401, 200, 403, 403, 403, 200, 403, 403, 401)),
    ("api-person-deactivation", "GET"): ("people/reader/deactivation", None, INSTALLATION_ADMINS),
    ("api-person-deactivate", "POST"): ("people/reader/deactivate", None, INSTALLATION_ADMINS),
    ("api-person-reactivate", "POST"): ("people/asleep/reactivate", None, INSTALLATION_ADMINS),
    ("api-person-remind", "POST"): ("people/reader/remind", None, (401, 404, 403, 403, 403, 409, 403, 403, 401)),
    ("api-person-second-step", "DELETE"): (
        "people/asleep/second-step",
        None,
        (401, 403, 403, 403, 403, 204, 403, 403, 401),
    ),
    ("api-person-sessions", "DELETE"): ("people/reader/sessions", None, INSTALLATION_ADMINS),
    ("api-own-keys", "GET"): ("keys", None, PEOPLE),
    # the key acts for the reader, who may revoke it
    ("api-key", "DELETE"): ("keys/{key}", None, (401, 404, 200, 403, 403, 200, 403, 403, 401)),
    ("api-key", "PATCH"): ("keys/{key}", {"addresses": ["203.0.113.0/24"]}, ADMINS),
    ("api-key-use", "GET"): ("keys/{key}/use", None, (401, 404, 200, 404, 404, 200, 403, 403, 401)),
    ("api-key-abilities", "GET"): ("keys/{key}/abilities", None, (401, 404, 200, 404, 404, 200, 403, 403, 401)),
    ("api-key-try", "POST"): (
        "keys/{key}/try",
        {"act": "fetch", "template": REPLY, "ref": "production"},
        (401, 404, 200, 404, 404, 200, 403, 403, 401),
    ),
    # no revocation waits
    ("api-key-keep", "POST"): ("keys/{key}/keep", None, (401, 404, 409, 403, 403, 409, 403, 403, 401)),
    ("api-key-rotate", "POST"): ("keys/{key}/rotate", {}, ADMINS_MAKE),
    ("api-datasets", "GET"): ("datasets", None, SIGNED_IN_OF_ALL),
    ("api-dataset", "GET"): (D, None, READERS_OF_ALL),
    ("api-dataset-archive", "POST"): ("datasets/support/unused/-/archive", {"reason": "Unused"}, ADMINS),
    ("api-dataset-unarchive", "POST"): (f"{D}/-/unarchive", None, ADMINS),
    ("api-dataset-rows", "POST"): (f"{D}/-/rows", {"rows": [{"inputs": {"question": "Why?"}}]}, AUTHORS_MAKE),
    ("api-dataset", "PUT"): ("datasets/support/new", {"rows": [{"inputs": {}}]}, AUTHORS_MAKE),
    ("api-dataset-versions", "GET"): (f"{D}/-/versions", None, READERS_OF_ALL),
    ("api-dataset-rows", "GET"): (f"{D}/-/rows", None, READERS_OF_ALL),
    ("api-dataset-diff", "GET"): (f"{D}/-/diff?from=1&to=1", None, READERS_OF_ALL),
    ("api-runs", "GET"): ("runs", None, SIGNED_IN_OF_ALL),
    ("api-runs", "POST"): ("runs", {"template": REPLY, "dataset": "support/questions"}, AUTHORS_ASK),
    ("api-run-estimate", "POST"): ("runs/estimate", {"template": REPLY, "dataset": "support/questions"}, AUTHORS),
    ("api-runs-together", "POST"): (
        "runs/together",
        {"template": REPLY, "dataset": "support/questions", "columns": [{}, {"ref": "1"}]},
        AUTHORS_ASK,
    ),
    ("api-run", "GET"): ("runs/{done}", None, READERS_OF_ALL),
    ("api-run-rows", "GET"): ("runs/{done}/rows", None, READERS_OF_ALL),
    ("api-run-cancel", "POST"): ("runs/{waiting}/cancel", None, AUTHORS),
    ("api-run-rerun", "POST"): ("runs/{cancelled}/rerun", None, AUTHORS_ASK),
    ("api-run-compare", "GET"): ("runs/{done}/compare?with={done}&metric=squad_f1", None, READERS_OF_ALL),
    ("api-run-export", "GET"): ("runs/{done}/export?form=csv", None, READERS_OF_ALL),
    ("api-run-improvements", "GET"): ("runs/{failing}/improvements", None, READERS_OF_ALL),
    ("api-run-improvements", "POST"): ("runs/{failing}/improvements", IMPROVE, AUTHORS_ASK),
    ("api-improvement-plan", "POST"): ("runs/{failing}/improvements/plan", IMPROVE, AUTHORS),
    ("api-improvement", "GET"): ("improvements/{asked}", None, ITS_AUTHOR),
    ("api-improvement-stop", "POST"): ("improvements/{asked}/stop", None, ITS_AUTHOR),
    ("api-improvement-take", "POST"): ("improvements/{measured}/take", {"draft": "Better"}, ITS_AUTHOR),
    ("api-improvement-dismiss", "POST"): ("improvements/{unwanted}/dismiss", None, ITS_AUTHOR),
    ("api-run-scores", "GET"): ("runs/{done}/scores", None, READERS_OF_ALL),
    ("api-run-row-score", "PUT"): ("runs/{done}/rows/0/score", {"score": "4"}, AUTHORS),
    ("api-run-row-score", "DELETE"): ("runs/{done}/rows/0/score", None, AUTHORS_REMOVE),
    ("api-models", "GET"): ("models?namespace=support", None, READERS),
    ("api-attachments", "GET"): ("attachments?namespace=support", None, READERS_OF_ALL),
    ("api-attachment", "PUT"): (
        "attachments/support/answers",
        {"pattern": "*", "dataset": "support/questions", "model": "echo", "gates": ["squad_f1 >= 0.5"]},
        ADMINS,
    ),
    ("api-attachment", "DELETE"): ("attachments/support/old", None, ADMINS_REMOVE),
    ("api-bundle", "GET"): ("namespaces/support/bundle", None, READERS),
    ("api-moves", "GET"): ("namespaces/support/moves", None, READERS),
    ("api-reports", "POST"): ("reports", {"reports": []}, (401, 403, 403, 403, 403, 403, 202, 202, 401)),
    ("api-outcomes", "POST"): ("outcomes", {"outcomes": []}, (401, 202, 202, 202, 202, 202, 202, 202, 401)),
    ("api-template-outcomes", "GET"): (f"{T}/-/outcomes", None, READERS_OF_ALL),
    ("api-check", "POST"): ("check", {"document": DOCUMENT}, SIGNED_IN),
    ("api-imports", "POST"): (
        "imports",
        {"namespace": "support", "files": [{"path": "a.txt", "text": "Hi"}]},
        AUTHORS,
    ),
    ("api-render", "POST"): ("render", {"template": REPLY, "data": SAMPLES["short"]}, READERS),
    ("api-unknown", "GET"): ("nothing/here", None, NOBODY),
}


def _routes() -> Iterator[tuple[str, str]]:
    for pattern in urlpatterns:
        assert isinstance(pattern, URLPattern)
        assert pattern.name is not None
        view = getattr(pattern.callback, "view_class", None)
        methods = [method for method in ("get", "put", "post", "patch", "delete") if hasattr(view, method)] or ["get"]
        for method in methods:
            yield pattern.name, method.upper()


def test_every_address_and_method_has_a_row():
    assert sorted(_routes()) == sorted(TABLE)


@pytest.fixture
def world(cast, settings) -> dict[str, Any]:
    """Three versions, production on 2 after 1; an open, an approved and a withdrawn change request; runs."""
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    session = {"session": open_session(cast.people["admin"]).pk}
    manage_accounts(cast.people["admin"])
    return session | write_or_insert("world of the api", lambda: _write_world(cast) | _measure_world(cast))


def _write_world(cast) -> dict[str, Any]:
    first = cast.save()
    cast.publish(1)
    second = cast.save(OTHER, base=first.version.digest)
    cast.publish(2)
    cast.save(THIRD, base=second.version.digest)
    rules.set_rules(actor=cast.actor("admin"), namespace="support", break_glass=True)
    cast.save(DOCUMENT.replace("maxLength: 100", "maxLength: 90"), base=first.version.digest, parallel=True)
    numbers = {"beside": cast.propose(4).number}
    for state in ("open", "approved", "withdrawn"):
        name = f"support/{state}"
        saved = cast.save(name=name)
        cast.save(OTHER, name=name, base=saved.version.digest)
        numbers[state] = cast.propose(1, name=name).number
    numbers["emergency"] = _publish_in_emergency(cast)
    broken = _break_contract(cast)
    numbers["broken"] = broken.number
    digest = saved.version.digest
    decisions.decide_on_change(
        actor=cast.actor("reviewer"), number=numbers["approved"], decision="approve", digest=digest
    )
    soon = datetime.fromisoformat(SOON)
    schedules.schedule_change(actor=cast.actor("author"), number=numbers["approved"], at=soon)
    change_services.withdraw_change(actor=cast.actor("author"), number=numbers["withdrawn"], reason="Not needed")
    threads.open_thread(
        actor=cast.actor("reviewer"),
        number=numbers["open"],
        place=Place(version=1, line=2),
        text="",
        suggestion="description: Shorter\n",
    )
    issued = keys.issue_key(actor=cast.actor("admin"), namespace="support", name="spare", scope="read", person="reader")
    made = webhook_services.create_webhook(actor=cast.actor("admin"), namespace="support", url="http://127.0.0.1:9/")
    connection = connection_services.create_connection(
        actor=cast.actor("admin"), namespace="support", name="small", base_url="http://127.0.0.1:9/v1", model="small-1"
    )
    invited = invitation_services.invite_person(actor=cast.actor("admin"), namespace="support", role="reader")
    ids = {"key": issued.key.id, "webhook": made.webhook.id, "connection": connection.id}
    ids["invitation"] = invited.invitation.id
    group_services.make_group(actor=cast.actor("admin"), namespace="support", title="Legal", role="reader")
    for holder in ({"group": "legal"}, {"person": "reader"}):
        folder_roles.set_folder_role(
            actor=cast.actor("admin"), namespace="support", folder="spare", role="author", **holder
        )
    group_services.add_to_group(actor=cast.actor("admin"), namespace="support", name="legal", username="reader")
    freeze = freeze_services.set_freeze(
        actor=cast.actor("admin"),
        namespace="support",
        repeat="once",
        starts="2100-01-01T00:00",
        ends="2100-01-02T00:00",
        reason="New year",
    )
    ids["freeze"] = str(freeze.number)
    ids["group_seal"] = group_access.preview_group(cast.actor("admin"), "support", "legal", None).seal
    ids["seal"] = role_effects.find_role_effects(cast.actor("admin"), "support", "reader", None).seal
    ids["broken_digest"] = broken.version.digest
    return {**numbers, "digest": digest, **ids, **_write_releases(cast), **_write_rollouts(cast)}


def _write_releases(cast) -> dict[str, int]:
    """A release of two templates that is open, one that is approved, and one that is live on top of another one."""
    names = [f"support/together{number}" for number in range(6)]
    for name in names:
        cast.save(OTHER, name=name, base=cast.save(name=name).version.digest)
    for name in names[4:]:
        cast.publish(1, name=name)
    numbers = {}
    for place, (state, version) in enumerate((("release", 1), ("release_approved", 1), ("release_live", 2))):
        selection = ReleaseSelection(versions=dict.fromkeys(names[2 * place : 2 * place + 2], version))
        release = proposals.propose_release(
            actor=cast.actor("author"), namespace="support", label="production", title=state, selection=selection
        ).release
        numbers[state] = release.number
        members = release.members.select_related("version")
        digests = {member.number: member.version.digest for member in members}
        if state == "release":
            numbers["member"] = min(digests)
            continue
        release_services.approve_release(actor=cast.actor("reviewer"), number=release.number, digests=digests)
    soon = datetime.fromisoformat(SOON)
    release_schedules.schedule_release(actor=cast.actor("author"), number=numbers["release_approved"], at=soon)
    release_services.publish_release(actor=cast.actor("author"), number=numbers["release_live"])
    return numbers


def _write_rollouts(cast) -> dict[str, int]:
    """An approved change, one in a rollout, and one in a rollout that is paused."""
    numbers = {}
    for state in ("ready", "rollout", "rollout_paused"):
        name = f"support/gradual-{state.replace('_', '-')}"
        cast.save(OTHER, name=name, base=cast.save(name=name).version.digest)
        cast.publish(1, name=name)
        change = cast.propose(2, name=name)
        digest = change.version.digest
        reviewer = cast.actor("reviewer")
        decisions.decide_on_change(actor=reviewer, number=change.number, decision="approve", digest=digest)
        numbers[state] = change.number
        if state != "ready":
            rollout = rollout_services.start_rollout(actor=cast.actor("author"), change=change.number)
            numbers[state] = rollout.number
    rollout_services.pause_rollout(actor=cast.actor("author"), number=numbers["rollout_paused"])
    return numbers


def _publish_in_emergency(cast) -> int:
    """An emergency of the admin's that an approved version replaced: its number."""
    first = cast.save(name="support/emergency").version
    number = cast.propose(1, name="support/emergency").number
    emergencies.publish_in_emergency(actor=cast.actor("admin"), number=number, reason="It insults people")
    cast.save(OTHER, name="support/emergency", base=first.digest)
    cast.publish(2, name="support/emergency")
    return int(number)


def _break_contract(cast) -> ChangeRequest:
    """Make a request whose contract check has failed: its version accepts shorter questions than the live one."""
    first = cast.save(name="support/broken").version
    cast.publish(1, name="support/broken")
    cast.save(DOCUMENT.replace("maxLength: 100", "maxLength: 50"), name="support/broken", base=first.digest)
    change: ChangeRequest = cast.propose(2, name="support/broken")
    check_results.run_checks(number=change.number)
    return change


def _measure_world(cast) -> dict[str, int]:
    """A dataset, an attachment, and a run in each state: the numbers of the runs."""
    rows = '{"inputs": {"question": "Who?"}, "expected": "Who?"}\n'
    datasets.save_dataset(actor=cast.actor("author"), name="support/questions", text=rows)
    datasets.save_dataset(actor=cast.actor("author"), name="support/unused", text=rows)
    attachments.attach_evaluation(
        actor=cast.actor("admin"),
        namespace="support",
        name="old",
        pattern="nothing",
        dataset="support/questions",
        model="echo",
        gates=["squad_f1 >= 0"],
    )
    start = partial(start_runs.start_run, actor=cast.actor("author"), template=REPLY, dataset="support/questions")
    done, waiting, cancelled = start(), start(), start()
    run_worker.advance_run(done.pk)
    start_runs.cancel_run(actor=cast.actor("author"), number=cancelled.pk)
    improvements = write_improvements(cast.actor("author"), REPLY, OTHER)
    return {"done": done.pk, "waiting": waiting.pk, "cancelled": cancelled.pk, **improvements}


@pytest.fixture
def callers(cast) -> dict[str, Caller]:
    revoked = keys.issue_key(actor=cast.actor("admin"), namespace="support", name="old", scope="write", person="author")
    keys.revoke_key(actor=cast.actor("admin"), key_id=revoked.key.id)
    people = {role: Caller(person=cast.people[role]) for role in CALLERS[1:6]}
    return {
        "anonymous": Caller(),
        **people,
        "read key": Caller(key=cast.key(scope="read")),
        "write key": Caller(key=cast.key(scope="write")),
        "revoked key": Caller(key=revoked.secret),
    }


@pytest.mark.parametrize("name", CALLERS)
def test_each_caller_gets_the_statuses_in_the_table(name, world, callers):
    expected = {asked: statuses[CALLERS.index(name)] for asked, (_, _, statuses) in TABLE.items()}
    statuses = {
        (route, method): callers[name].try_call(method, path.format(**world), fill_body(body, world)).status_code
        for (route, method), (path, body, _) in TABLE.items()
    }
    assert statuses == expected


def fill_body(body: Any, world: dict[str, Any]) -> Any:
    """A body of the table with the digests of this world."""
    if body and "digest" in body:
        return {**body, "digest": body["digest"].format(**world)}
    if body and body.get("change") == "{ready}":
        return {**body, "change": world["ready"]}
    if body and "digests" in body:
        return {**body, "digests": {str(world["member"]): world["digest"]}}
    return body


def test_a_session_without_its_csrf_token_writes_nothing(cast, stored):
    caller = Caller(person=cast.people["author"])
    caller._headers.clear()
    before = stored()
    response = caller.put(T, {"document": DOCUMENT, "message": ""})
    assert (response.status_code, response.json()["type"], stored()) == (403, "not-allowed", before)


def test_a_key_finds_nothing_outside_its_namespace_even_where_its_person_is_a_member(cast):
    cast.save(name="demo/answer")
    caller = Caller(key=cast.key("author", "write", "support"))
    assert caller.get("templates/demo/answer").status_code == 404
    assert caller.get("templates/demo/answer@1").status_code == 404
    assert caller.get("templates").json()["results"] == []


def test_a_key_ends_with_its_persons_role(cast):
    cast.save()
    caller = Caller(key=cast.key(scope="write"))
    cast.people["author"].memberships.all().delete()
    assert caller.get(f"{T}@1").status_code == 404
    assert caller.get(T).status_code == 404
