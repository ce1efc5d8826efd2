"""Who may see each page: one table, checked against the existing addresses."""

import json
import re
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern

from frontend.accounts import urls as account_urls
from frontend.urls import urlpatterns
from registry.changes import decisions
from registry.changes import services as change_services
from registry.changes.models import ChangeRequest
from registry.connections import services as connection_services
from registry.evaluations import datasets
from registry.freezes import services as freeze_services
from registry.invitations import services as invitation_services
from registry.namespaces import groups as group_services
from registry.namespaces import keys
from registry.playground import services as playground_services
from registry.releases import proposals
from registry.releases.plans import ReleaseSelection
from registry.templates import drafts, labels, shared_drafts
from registry.templates.models import Version
from registry.webhooks import services as webhook_services
from tests.frontend.conftest import DOCUMENT, OTHER, REPLY, read_html
from tests.support.asked_improvements import ASKING, write_improvements
from tests.support.finished_runs import GOLD, dataset_rows, save_rows, start_run
from tests.support.recorded_rows import write_or_insert
from tests.support.sessions import manage_accounts

THIRD = OTHER.replace("Quote the policy", "Quote the policy's section")

SOON = (datetime.now(UTC) + timedelta(days=30)).strftime("%Y-%m-%dT%H:%M")
SEEN = {"seen_version": "1", "expected": "0"}  # what the forms of the open and the approved change show
CALLERS = ("anonymous", "outsider", "reader", "author", "reviewer", "admin", "read key", "write key", "revoked key")
# the outsider is an admin of another namespace; no page takes a key, so a caller with one is anybody
IN, OUT = (
    302,
    401,
)  # anonymous GETs redirect to the sign-in; POSTs are refused, because a redirect would lose the form's text


def _row(anonymous: int, *people: int) -> tuple[int, ...]:
    return (anonymous, *people, *[anonymous] * 3)


ANYONE = _row(200, 200, 200, 200, 200, 200)
SIGNED_IN = _row(IN, 200, 200, 200, 200, 200)
TO_LOGIN = _row(302, 302, 302, 302, 302, 302)
ACCOUNTS = _row(IN, 403, 403, 403, 403, 200)  # the operator made the admin one of the installation
ACCOUNTS_DO = _row(OUT, 403, 403, 403, 403, 302)
PEOPLE_DO = _row(OUT, 302, 302, 302, 302, 302)
READERS_DO = _row(OUT, 404, 302, 302, 302, 302)
NO_STEP = _row(IN, 404, 404, 404, 404, 404)
NOBODY = _row(404, 404, 404, 404, 404, 404)
READERS = _row(IN, 404, 200, 200, 200, 200)
AUTHORS = _row(IN, 404, 403, 200, 200, 200)
ADMINS = _row(IN, 404, 403, 403, 403, 200)
AUTHORS_DO = _row(OUT, 404, 403, 302, 302, 302)
REVIEWERS_DO = _row(OUT, 404, 403, 403, 302, 302)
ITS_AUTHOR = _row(OUT, 404, 404, 200, 404, 404)  # a run of the playground is its person's own
ITS_AUTHOR_DOES = _row(OUT, 404, 404, 302, 404, 404)
ADMINS_DO = _row(OUT, 404, 403, 403, 403, 302)


@dataclass(frozen=True)
class Row:
    """An address, what is sent to it, and the status that each of CALLERS gets."""

    path: str
    expected: tuple[int, ...]
    sent: dict[str, Any] | None = None


T = f"/t/{REPLY}"
N = "/n/support"
OURS = DOCUMENT.replace("the shop}", "our shop}")
SAVE = {"document": OURS, "samples": "{}", "base": "3", "message": "Ours", "do": "save"}
IMPROVE = {"model": "small", "prompt": ASKING, "rows": "2", "guidance": ""}
RULES = {
    "protected_labels": "production",
    "approvals": "1",
    "keys_approved_only": "on",
    "compatibility": "none",
    "owners": "",
}
WEEKEND = {
    "do": "weekly",
    "start_day": "fri",
    "start_time": "16:00",
    "end_day": "mon",
    "end_time": "08:00",
    "time_zone": "UTC",
    "reason": "Weekend",
}
KEY = {"name": "chat", "scope": "read", "person": "admin", "days": "0"}
EVALUATION = {
    "name": "answers",
    "pattern": "refunds/reply",
    "dataset": GOLD,
    "model": "echo",
    "scores_needed": "20",
    "metric": "squad_f1",
    "kind": "floor",
    "bound": "0.5",
}
RUN = {"template": REPLY, "ref": "1", "dataset": GOLD, "model": "echo"}
ROWS = {"namespace": "support", "path": "other", "form": "jsonl", "text": '{"inputs": {"question": "Boots?"}}'}
CONNECTION = {
    "name": "second",
    "protocol": "openai",
    "base_url": "http://127.0.0.1:9/v1",
    "model": "second-1",
    "currency": "USD",
    "timeout": "60",
    "concurrency": "4",
}
TRIAL: dict[str, Any] = {
    "columns": [{"source": "draft", "document": DOCUMENT, "model": "echo"}],
    "inputs": {"question": "Can I return boots?"},
}
COPY = {"namespace": "demo", "path": "answer", "start": "copy"}
# (route, method, data) to the row. A route with several actions at one address has a row for each.
TABLE: dict[tuple[str, str, str], Row] = {
    ("home", "GET", ""): Row("/", SIGNED_IN),
    ("login", "GET", ""): Row("/login", _row(200, 302, 302, 302, 302, 302)),
    ("login", "POST", ""): Row("/login", _row(422, 302, 302, 302, 302, 302), {"username": "author", "password": "x"}),
    ("account_login", "GET", ""): Row("/login", _row(200, 302, 302, 302, 302, 302)),
    ("account_login", "POST", ""): Row("/login", _row(422, 302, 302, 302, 302, 302), {}),
    ("mfa_authenticate", "GET", ""): Row("/login/code", TO_LOGIN),
    ("mfa_authenticate", "POST", ""): Row("/login/code", TO_LOGIN, {"code": "123456"}),
    ("mfa_login_webauthn", "GET", ""): Row("/login/passkey", TO_LOGIN),  # the script requests JSON
    ("mfa_login_webauthn", "POST", ""): Row("/login/passkey", _row(422, 302, 302, 302, 302, 302), {"credential": "{}"}),
    ("openid_connect_login", "GET", ""): Row("/login/with/oidc", NOBODY),  # no provider is set
    ("openid_connect_callback", "GET", ""): Row("/login/with/oidc/back", NOBODY),
    ("socialaccount_login_cancelled", "GET", ""): Row("/login/stopped", ANYONE),
    ("mfa_index", "GET", ""): Row("/account", SIGNED_IN),
    ("mfa_index", "POST", "profile"): Row("/account", PEOPLE_DO, {"do": "profile", "full_name": "Some Body"}),
    ("mfa_index", "POST", "address"): Row("/account", PEOPLE_DO, {"do": "address", "email": "some@example.org"}),
    ("mfa_index", "POST", "end"): Row("/account", _row(OUT, 404, 404, 404, 404, 404), {"do": "end", "session": "1"}),
    ("mfa_index", "POST", "end others"): Row("/account", PEOPLE_DO, {"do": "end_others"}),
    ("confirm-address", "GET", ""): Row("/account/address/x", _row(IN, 409, 409, 409, 409, 409)),
    ("confirm-address", "POST", ""): Row("/account/address/x", _row(OUT, 409, 409, 409, 409, 409), {}),
    ("own-keys", "GET", ""): Row("/account/keys", SIGNED_IN),
    ("own-keys", "POST", "seen"): Row("/account/keys", _row(OUT, 302, 302, 302, 302, 302), {"do": "seen"}),
    ("own-keys", "POST", "keep"): Row(
        "/account/keys", _row(OUT, 404, 403, 403, 403, 409), {"do": "keep", "key": "{key}"}
    ),
    ("own-keys", "POST", "revoke"): Row("/account/keys", ADMINS_DO, {"do": "revoke", "key": "{key}", "reason": "Lost"}),
    ("account_change_password", "GET", ""): Row("/account/password", SIGNED_IN),
    ("account_change_password", "POST", ""): Row("/account/password", SIGNED_IN, {}),  # the form with its errors
    ("account_set_password", "GET", ""): Row("/account/no-password", _row(IN, 403, 403, 403, 403, 403)),
    ("account_reauthenticate", "GET", ""): Row("/account/prove", SIGNED_IN),
    ("account_reauthenticate", "POST", ""): Row("/account/prove", SIGNED_IN, {"password": "wrong"}),
    ("mfa_reauthenticate", "GET", ""): Row("/account/prove/code", TO_LOGIN),  # people without a code enter the password
    ("mfa_reauthenticate", "POST", ""): Row("/account/prove/code", TO_LOGIN, {"code": "123456"}),
    ("mfa_reauthenticate_webauthn", "GET", ""): Row("/account/prove/passkey", TO_LOGIN),  # as with a code
    ("mfa_reauthenticate_webauthn", "POST", ""): Row("/account/prove/passkey", TO_LOGIN, {"credential": "{}"}),
    ("mfa_add_webauthn", "GET", ""): Row("/account/passkeys/new", TO_LOGIN),  # a fresh proof first
    ("mfa_add_webauthn", "POST", ""): Row("/account/passkeys/new", TO_LOGIN, {"credential": "{}"}),
    ("mfa_edit_webauthn", "GET", ""): Row("/account/passkeys/1/name", TO_LOGIN),
    ("mfa_edit_webauthn", "POST", ""): Row("/account/passkeys/1/name", TO_LOGIN, {"name": "Phone"}),
    ("mfa_remove_webauthn", "GET", ""): Row("/account/passkeys/1/remove", TO_LOGIN),
    ("mfa_remove_webauthn", "POST", ""): Row("/account/passkeys/1/remove", TO_LOGIN, {}),
    ("mfa_activate_totp", "GET", ""): Row("/account/second-step", TO_LOGIN),  # a fresh proof first
    ("mfa_activate_totp", "POST", ""): Row("/account/second-step", TO_LOGIN, {"code": "123456"}),
    ("mfa_deactivate_totp", "GET", ""): Row("/account/second-step/off", NO_STEP),
    ("mfa_deactivate_totp", "POST", ""): Row("/account/second-step/off", NO_STEP, {}),
    ("mfa_view_recovery_codes", "GET", ""): Row("/account/recovery-codes", NO_STEP),
    ("mfa_generate_recovery_codes", "GET", ""): Row("/account/recovery-codes/new", TO_LOGIN),
    ("mfa_generate_recovery_codes", "POST", ""): Row("/account/recovery-codes/new", TO_LOGIN, {}),
    ("mfa_download_recovery_codes", "GET", ""): Row("/account/recovery-codes/file", NO_STEP),
    ("logout", "POST", ""): Row("/logout", _row(302, 302, 302, 302, 302, 302), {}),
    ("theme", "POST", ""): Row("/theme", _row(302, 302, 302, 302, 302, 302), {"theme": "dark"}),
    ("script-texts", "GET", ""): Row("/texts/de.js", ANYONE),
    ("demo-progress", "GET", ""): Row("/demo-progress", _row(200, 200, 200, 200, 200, 200)),
    ("counts", "GET", ""): Row("/counts.json", SIGNED_IN),
    ("palette", "GET", ""): Row("/search.json?q=reply", SIGNED_IN),
    ("saved-views", "GET", ""): Row("/saved-views", SIGNED_IN),
    ("saved-views", "POST", ""): Row("/saved-views", PEOPLE_DO, {"name": "Refunds", "folder": "", "query": "q=refund"}),
    ("saved-views", "POST", "remove"): Row(
        "/saved-views", _row(OUT, 404, 404, 404, 404, 404), {"do": "remove", "view": "1"}
    ),
    ("bulk", "GET", ""): Row(f"/several?act=tag&template={REPLY}", SIGNED_IN),
    ("bulk", "POST", ""): Row(
        "/several", _row(OUT, 422, 422, 302, 302, 302), {"act": "tag", "template": REPLY, "add": "sorted"}
    ),
    ("bulk", "POST", "archive"): Row(
        "/several",
        _row(OUT, 422, 422, 422, 422, 302),
        {"act": "archive", "template": REPLY, "reason": "Unused", "force": "on"},
    ),
    ("new", "GET", ""): Row("/new", _row(IN, 200, 403, 200, 200, 200)),
    ("new", "POST", ""): Row(
        "/new", _row(OUT, 422, 403, 302, 302, 302), {"namespace": "support", "path": "fresh", "start": "blank"}
    ),
    ("import", "GET", ""): Row("/t/import", _row(IN, 200, 403, 200, 200, 200)),
    ("import", "POST", ""): Row(
        "/t/import", _row(OUT, 404, 403, 200, 200, 200), {"namespace": "support", "text": "Hi {{ name }}"}
    ),
    ("browse", "GET", ""): Row("/t/", SIGNED_IN),
    ("folder", "GET", ""): Row("/t/support/", READERS),
    ("template", "GET", ""): Row(T, READERS),
    ("favourite", "POST", ""): Row(f"{T}/-/favourite", READERS_DO, {}),
    ("favourite", "POST", "remove"): Row(f"{T}/-/favourite", PEOPLE_DO, {"do": "remove"}),
    ("follow", "GET", ""): Row(f"{T}/-/follow", READERS),
    ("follow", "POST", ""): Row(f"{T}/-/follow", READERS_DO, {"topics": "published"}),
    ("follow", "POST", "stop"): Row(f"{T}/-/follow", READERS_DO, {"do": "stop"}),
    ("edit", "GET", ""): Row(f"{T}/-/edit", AUTHORS),
    ("edit", "POST", ""): Row(f"{T}/-/edit", _row(OUT, 404, 403, 200, 200, 200), SAVE),
    ("preview", "POST", ""): Row(f"{T}/-/edit/preview", _row(OUT, 404, 403, 200, 200, 200), {"document": OURS}),
    ("drafts", "GET", ""): Row(f"{T}/-/drafts", AUTHORS),
    ("drafts", "POST", ""): Row(f"{T}/-/drafts", AUTHORS_DO, {"do": "start", "name": "Shorter", "source": "1"}),
    ("shared-draft", "GET", ""): Row(f"{T}/-/drafts/{{shared}}", READERS),
    ("draft", "PUT", ""): Row(f"{T}/-/edit/draft", _row(OUT, 404, 403, 200, 200, 200), {"document": OURS}),
    ("draft", "DELETE", ""): Row(
        f"{T}/-/edit/draft", _row(OUT, 200, 200, 200, 200, 200), {}
    ),  # one's own, if there is one
    ("start-run", "POST", ""): Row(f"{T}/-/run/start", _row(OUT, 404, 403, 201, 201, 201), TRIAL),
    ("playground-rows", "POST", ""): Row(
        f"{T}/-/run/rows", _row(OUT, 404, 403, 200, 200, 200), {**TRIAL, "dataset": GOLD}
    ),
    ("playground-choices", "GET", ""): Row(f"{T}/-/run/choices", AUTHORS),
    ("playground-history", "GET", ""): Row(f"{T}/-/run/history", AUTHORS),
    ("run-draft", "POST", ""): Row(f"{T}/-/run/history/{{trial}}/draft", ITS_AUTHOR, {}),
    ("stop-column", "POST", ""): Row(f"{T}/-/run/columns/{{column}}/stop", ITS_AUTHOR, {}),
    ("column-sample", "POST", ""): Row(f"{T}/-/run/columns/{{column}}/sample", ITS_AUTHOR, {"name": "new boots"}),
    ("column-row", "POST", ""): Row(f"{T}/-/run/columns/{{column}}/row", ITS_AUTHOR, {"dataset": GOLD}),
    ("move-size", "GET", ""): Row(f"{T}/-/move/size?label=production&version=2", READERS),
    ("move-evidence", "GET", ""): Row(f"{T}/-/move/evidence?label=production&version=2", READERS),
    ("fetches", "GET", ""): Row(f"{T}/-/fetches", READERS),
    ("fetches", "POST", ""): Row(
        f"{T}/-/fetches", _row(OUT, 404, 302, 302, 302, 302), {"version": "1", "name": "helpful", "value": "1"}
    ),
    ("versions", "GET", ""): Row(f"{T}/-/versions", READERS),
    ("restore", "GET", ""): Row(f"{T}/-/restore?ref=1", AUTHORS),
    ("restore", "POST", ""): Row(f"{T}/-/restore", AUTHORS_DO, {"ref": "1", "base": "{newest}"}),
    ("start-draft", "POST", ""): Row(f"{T}/-/start-draft", AUTHORS_DO, {"ref": "1"}),
    ("export", "GET", ""): Row(f"{T}/-/export", READERS),
    ("export-file", "GET", ""): Row(f"{T}/-/export/document", READERS),
    ("export-folder", "GET", ""): Row("/t/support/export.zip", READERS),
    ("diff", "GET", ""): Row(f"{T}/-/diff", READERS),
    ("copy", "GET", ""): Row(f"{T}/-/copy", _row(IN, 404, 403, 200, 200, 200)),
    ("copy", "POST", ""): Row(f"{T}/-/copy", _row(OUT, 404, 403, 302, 302, 302), COPY),
    ("samples", "GET", ""): Row(f"{T}/-/samples", READERS),
    ("samples", "POST", ""): Row(f"{T}/-/samples", AUTHORS_DO, {"samples": "{}"}),
    ("labels", "GET", ""): Row(f"{T}/-/labels?label=staging", READERS),
    ("labels", "POST", "move"): Row(f"{T}/-/labels", AUTHORS_DO, {"label": "staging", "version": "1"}),
    ("labels", "POST", "a protected one"): Row(
        f"{T}/-/labels", _row(OUT, 404, 403, 403, 403, 403), {"label": "production", "version": "2", "expected": "1"}
    ),
    ("labels", "POST", "roll back"): Row(
        f"{T}/-/labels", REVIEWERS_DO, {"label": "canary", "version": "1", "reason": "Broken", "do": "roll_back"}
    ),
    ("propose", "GET", ""): Row(f"{T}/-/propose", AUTHORS),
    ("propose", "POST", ""): Row(f"{T}/-/propose", AUTHORS_DO, {"label": "production", "version": "3", "title": "Go"}),
    ("changes", "GET", ""): Row("/changes/", SIGNED_IN),
    ("change", "GET", ""): Row("/changes/{open}", READERS),
    ("change", "POST", "approve"): Row("/changes/{open}", REVIEWERS_DO, {"do": "approve", "digest": "{digest}"}),
    ("change", "POST", "comment"): Row(
        "/changes/{open}", AUTHORS_DO, {"do": "comment", "digest": "{digest}", "text": "Why?"}
    ),
    ("change", "POST", "ask"): Row(
        "/changes/{open}", _row(OUT, 404, 403, 302, 302, 422), {"do": "ask", "person": "admin"}
    ),
    ("change-people", "GET", ""): Row("/changes/{open}/people", AUTHORS),
    ("change", "POST", "publish"): Row("/changes/{approved}", AUTHORS_DO, {"do": "publish", **SEEN}),
    ("change", "POST", "schedule"): Row(
        "/changes/{open}", AUTHORS_DO, {"do": "schedule", "goes_live_at": SOON, **SEEN}
    ),
    ("change", "POST", "publish too early"): Row(
        "/changes/{open}", _row(OUT, 404, 403, 403, 403, 403), {"do": "publish", **SEEN}
    ),
    ("releases", "GET", ""): Row("/releases/", SIGNED_IN),
    ("release", "GET", ""): Row("/releases/{release}", READERS),
    ("release", "POST", "comment"): Row("/releases/{release}", AUTHORS_DO, {"do": "comment", "text": "Why?"}),
    ("release", "POST", "ask"): Row(
        "/releases/{release}", _row(OUT, 404, 403, 302, 302, 422), {"do": "ask", "person": "admin"}
    ),
    ("release-people", "GET", ""): Row("/releases/{release}/people", AUTHORS),
    ("release", "POST", "approve"): Row("/releases/{release}", REVIEWERS_DO, {"do": "approve", "digest": "{approval}"}),
    ("release", "POST", "ask for edits"): Row(
        "/releases/{release}", REVIEWERS_DO, {"do": "request_changes", "digest": "{approval}", "text": "Shorter"}
    ),
    ("release", "POST", "publish too early"): Row(
        "/releases/{release}", _row(OUT, 404, 403, 403, 403, 403), {"do": "publish"}
    ),
    ("release", "POST", "schedule"): Row("/releases/{release}", AUTHORS_DO, {"do": "schedule", "goes_live_at": SOON}),
    ("release", "POST", "withdraw"): Row("/releases/{release}", AUTHORS_DO, {"do": "withdraw", "text": "No"}),
    ("release", "POST", "remove"): Row("/releases/{release}", AUTHORS_DO, {"do": "remove", "change": "{member}"}),
    ("publish-release", "GET", ""): Row("/releases/{release}/publish", READERS),
    ("roll-back-release", "GET", ""): Row("/releases/{release}/roll-back", READERS),
    ("promote-templates", "GET", ""): Row("/releases/new/?from=latest&to=production&template=support/apart", AUTHORS),
    ("promote-templates", "POST", ""): Row(
        "/releases/new/",
        AUTHORS_DO,
        {"from": "latest", "to": "production", "title": "All", "template": "support/apart"},
    ),
    ("new-release", "GET", ""): Row("/releases/new/support/", AUTHORS),
    ("new-release", "POST", ""): Row(
        "/releases/new/support/",
        AUTHORS_DO,
        {"from_label": "latest", "label": "production", "title": "All", "template": "support/apart"},
    ),
    ("suggestion", "POST", ""): Row(
        "/changes/{open}/suggestion", _row(OUT, 404, 403, 200, 200, 200), {"suggestion": ""}
    ),
    ("merge", "GET", ""): Row("/changes/{open}/merge", AUTHORS),
    ("merge", "POST", ""): Row(
        "/changes/{open}/merge", _row(OUT, 404, 403, 422, 422, 422), {"do": "look"}
    ),  # nothing to merge
    ("runs", "GET", ""): Row("/runs/", SIGNED_IN),
    ("new-run", "GET", ""): Row(f"/runs/new?template={REPLY}", AUTHORS),
    ("new-run", "POST", ""): Row("/runs/new", AUTHORS_DO, RUN),
    ("run", "GET", ""): Row("/runs/{run}", READERS),
    ("run", "POST", "cancel"): Row("/runs/{run}", AUTHORS_DO, {"do": "cancel"}),
    ("run-matrix", "GET", ""): Row("/runs/{run}/matrix", READERS),
    ("stop-runs", "POST", ""): Row("/runs/{run}/matrix/stop", AUTHORS_DO),
    ("improve", "GET", ""): Row("/runs/{failing}/improve", AUTHORS),
    ("improve", "POST", ""): Row("/runs/{failing}/improve", AUTHORS_DO, IMPROVE),
    ("improvement", "GET", ""): Row("/improvements/{asked}", _row(IN, 404, 404, 200, 404, 404)),
    ("improvement", "POST", "stop"): Row("/improvements/{asked}", ITS_AUTHOR_DOES, {"do": "stop"}),
    ("improvement", "POST", "take"): Row(
        "/improvements/{measured}", ITS_AUTHOR_DOES, {"do": "take", "draft": "Better"}
    ),
    ("improvement", "POST", "dismiss"): Row("/improvements/{unwanted}", ITS_AUTHOR_DOES, {"do": "dismiss"}),
    ("score-rows", "GET", ""): Row("/runs/{finished}/score", AUTHORS),
    ("score-rows", "POST", "press"): Row("/runs/{finished}/score", AUTHORS_DO, {"row": "0", "press": "0:4"}),
    ("run-rows", "GET", ""): Row("/runs/{run}/rows", READERS),
    ("run-row", "GET", ""): Row("/runs/{run}/rows/0", READERS),
    ("add-run-row", "GET", ""): Row("/runs/{finished}/rows/0/add", READERS),
    ("add-run-row", "POST", ""): Row("/runs/{finished}/rows/0/add", _row(OUT, 404, 403, 422, 422, 422), {"name": "x"}),
    ("run-export", "GET", ""): Row("/runs/{run}/export.csv", READERS),
    ("datasets", "GET", ""): Row("/d/", SIGNED_IN),
    ("new-dataset", "GET", ""): Row("/d/new", _row(IN, 200, 403, 200, 200, 200)),
    ("new-dataset", "POST", ""): Row("/d/new", _row(OUT, 422, 403, 302, 302, 302), ROWS),
    ("dataset", "GET", ""): Row(f"/d/{GOLD}", READERS),
    ("archive-dataset", "POST", "unarchive"): Row(f"/d/{GOLD}/-/archive", ADMINS_DO, {"do": "unarchive"}),
    ("archive-dataset", "POST", "archive"): Row(
        "/d/support/refunds/unused/-/archive", ADMINS_DO, {"do": "archive", "reason": "Unused"}
    ),
    ("restore-dataset", "POST", ""): Row(f"/d/{GOLD}/-/restore", AUTHORS_DO, {"version": "1", "base": "{rows}"}),
    ("edit-dataset", "GET", ""): Row(f"/d/{GOLD}/-/edit", READERS),
    ("edit-dataset", "POST", ""): Row(
        f"/d/{GOLD}/-/edit", AUTHORS_DO, {"form": "jsonl", "text": ROWS["text"], "base": "{rows}"}
    ),
    ("copy-rows", "POST", ""): Row(
        "/d/copy-rows",
        _row(OUT, 404, 403, 200, 200, 200),
        {"form": "jsonl", "text": ROWS["text"], "dataset": GOLD},
    ),
    ("dataset-rows", "GET", ""): Row(f"/d/{GOLD}/-/rows.jsonl", READERS),
    ("dataset-diff", "GET", ""): Row(f"/d/{GOLD}/-/diff", READERS),
    ("archive", "GET", ""): Row(f"{T}/-/archive", ADMINS),
    ("archive", "POST", ""): Row(f"{T}/-/archive", ADMINS_DO, {"do": "archive", "reason": "Unused", "force": "on"}),
    ("rename", "GET", ""): Row(f"{T}/-/rename", ADMINS),
    ("rename", "POST", ""): Row(f"{T}/-/rename", ADMINS_DO, {"to": "support/renamed"}),
    ("rename-folder", "GET", ""): Row("/folders/support/refunds/rename", ADMINS),
    ("rename-folder", "POST", ""): Row("/folders/support/refunds/rename", ADMINS_DO, {"to": "support/returns"}),
    ("dependants", "GET", ""): Row(f"{T}/-/dependants", READERS),
    ("dependants", "POST", ""): Row(
        f"{T}/-/dependants", _row(OUT, 404, 200, 200, 200, 200), {"version": "1"}
    ),  # each template that includes it says who may not
    ("publish", "GET", ""): Row("/changes/{open}/publish", READERS),
    ("emergency", "GET", ""): Row("/changes/{open}/emergency", READERS),
    ("emergency", "POST", ""): Row(
        "/changes/{open}/emergency",
        _row(OUT, 404, 403, 403, 302, 302),
        {"reason": "Now", "seen_version": "1", "expected": "0"},
    ),  # these sessions have no proof, so that 302 leads to the page that asks for it
    ("environments", "GET", ""): Row("/environments/", SIGNED_IN),
    ("calendar", "GET", ""): Row("/environments/calendar", SIGNED_IN),
    ("members", "GET", ""): Row(f"{N}/members", READERS),
    ("members", "POST", ""): Row(f"{N}/members", ADMINS_DO, {"username": "outsider", "role": "reader"}),
    ("members", "POST", "invite"): Row(
        f"{N}/members", _row(OUT, 404, 403, 403, 403, 201), {"do": "invite", "role": "reader", "email": ""}
    ),
    ("members", "POST", "a new link"): Row(
        f"{N}/members", _row(OUT, 404, 403, 403, 403, 201), {"do": "again", "invitation": "{invitation}"}
    ),
    ("members", "POST", "take back"): Row(f"{N}/members", ADMINS_DO, {"do": "end", "invitation": "{invitation}"}),
    ("members", "POST", "a role in a folder"): Row(
        f"{N}/members",
        ADMINS_DO,
        {"do": "folder_role", "folder": "refunds", "holder": "person:reader", "folder_role": "author"},
    ),
    ("members", "POST", "owners"): Row(
        f"{N}/members", ADMINS_DO, {"do": "owners", "pattern": "returns/*", "owners": "reviewer"}
    ),
    ("namespace-people", "GET", ""): Row(f"{N}/people", ADMINS),
    ("groups", "GET", ""): Row(f"{N}/groups", READERS),
    ("groups", "POST", "make"): Row(f"{N}/groups", ADMINS_DO, {"do": "make", "title": "Medicine", "role": ""}),
    ("groups", "POST", "change"): Row(
        f"{N}/groups", ADMINS_DO, {"do": "change", "group": "legal", "title": "Law", "role": "author"}
    ),
    ("groups", "POST", "add"): Row(f"{N}/groups", ADMINS_DO, {"do": "add", "group": "legal", "username": "author"}),
    ("groups", "POST", "take out"): Row(
        f"{N}/groups", ADMINS_DO, {"do": "take_out", "group": "legal", "username": "reader"}
    ),
    ("groups", "POST", "remove"): Row(f"{N}/groups", ADMINS_DO, {"do": "remove", "group": "legal"}),
    ("invitation", "GET", ""): Row("/invitations/{secret}", ANYONE),
    ("invitation", "POST", ""): Row("/invitations/{secret}", _row(422, 302, 409, 409, 409, 409), {}),
    ("keys", "GET", ""): Row(f"{N}/keys", ADMINS),
    ("keys", "POST", "issue"): Row(f"{N}/keys", _row(OUT, 404, 403, 403, 403, 201), KEY),
    ("keys", "POST", "rotate"): Row(
        f"{N}/keys", _row(OUT, 404, 403, 403, 403, 201), {"do": "rotate", "key": "{key}", "hours": "1"}
    ),
    ("keys", "POST", "addresses"): Row(
        f"{N}/keys", ADMINS_DO, {"do": "addresses", "key": "{key}", "addresses": "203.0.113.0/24"}
    ),
    ("keys", "POST", "keep"): Row(f"{N}/keys", _row(OUT, 404, 403, 403, 403, 409), {"do": "keep", "key": "{key}"}),
    ("keys", "POST", "revoke"): Row(f"{N}/keys", ADMINS_DO, {"do": "revoke", "key": "{key}", "reason": "Lost"}),
    ("rules", "GET", ""): Row(f"{N}/rules", READERS),
    ("rules", "POST", ""): Row(f"{N}/rules", ADMINS_DO, RULES),
    ("freezes", "GET", ""): Row(f"{N}/freezes", READERS),
    ("freezes", "POST", "once"): Row(
        f"{N}/freezes",
        ADMINS_DO,
        {"do": "once", "starts": "2100-01-01T00:00", "ends": "2100-01-02T00:00", "reason": "New year"},
    ),
    ("freezes", "POST", "weekly"): Row(f"{N}/freezes", ADMINS_DO, WEEKEND),
    ("freezes", "POST", "remove"): Row(f"{N}/freezes", ADMINS_DO, {"do": "remove", "freeze": "{freeze}"}),
    ("evaluations", "GET", ""): Row(f"{N}/evaluations", READERS),
    ("evaluations", "POST", "save"): Row(f"{N}/evaluations", ADMINS_DO, {**EVALUATION, "do": "save"}),
    ("evaluations", "POST", "try"): Row(
        f"{N}/evaluations", _row(OUT, 404, 403, 403, 403, 200), {**EVALUATION, "do": "try"}
    ),
    ("evaluations", "POST", "remove"): Row(
        f"{N}/evaluations", _row(OUT, 404, 403, 403, 403, 404), {"do": "remove", "name": "none"}
    ),
    ("audit", "GET", ""): Row(f"{N}/audit", READERS),
    ("audit", "POST", ""): Row(f"{N}/audit", ADMINS_DO, {}),
    ("audit-export", "GET", ""): Row(f"{N}/audit/events.csv", READERS),
    ("new-namespace", "GET", ""): Row("/n/new", SIGNED_IN),
    ("new-namespace", "POST", ""): Row(
        "/n/new", _row(OUT, 302, 302, 302, 302, 302), {"name": "sales", "protected_labels": "", "approvals": "1"}
    ),
    ("connections", "GET", ""): Row(f"{N}/models", ADMINS),
    ("connections", "POST", ""): Row(f"{N}/models", ADMINS_DO, CONNECTION),
    ("connections", "POST", "cap"): Row(f"{N}/models", ADMINS_DO, {"do": "cap", "person_day": "5", "currency": "USD"}),
    ("connection", "GET", ""): Row(f"{N}/models/{{connection}}", ADMINS),
    ("connection", "POST", "change"): Row(f"{N}/models/{{connection}}", ADMINS_DO, {**CONNECTION, "name": "small"}),
    ("connection", "POST", "try"): Row(f"{N}/models/{{connection}}", ADMINS_DO, {"do": "try"}),
    ("connection", "POST", "remove"): Row(f"{N}/models/{{connection}}", ADMINS_DO, {"do": "remove"}),
    ("webhooks", "GET", ""): Row(f"{N}/webhooks", ADMINS),
    ("webhooks", "POST", ""): Row(
        f"{N}/webhooks",
        _row(OUT, 404, 403, 403, 403, 201),
        {"url": "http://127.0.0.1:9/other", "kinds": ["label.moved"]},
    ),
    ("webhook", "GET", ""): Row(f"{N}/webhooks/{{webhook}}", ADMINS),
    ("webhook", "POST", ""): Row(f"{N}/webhooks/{{webhook}}", ADMINS_DO, {"do": "remove"}),
    ("help", "GET", ""): Row("/help/", ANYONE),
    ("help-page", "GET", ""): Row("/help/glossary", ANYONE),
    ("close-checklist", "POST", ""): Row("/first-steps/close", _row(OUT, 302, 302, 302, 302, 302)),
    ("open-checklist", "POST", ""): Row("/first-steps/open", _row(OUT, 302, 302, 302, 302, 302)),
    ("single-sign-on", "GET", ""): Row("/people/single-sign-on", ACCOUNTS),
    ("single-sign-on", "POST", ""): Row("/people/single-sign-on", _row(OUT, 403, 403, 403, 403, 409), {}),  # none set
    ("try-single-sign-on", "GET", ""): Row("/people/single-sign-on/try", _row(IN, 403, 403, 403, 403, 409)),
    ("settings", "GET", ""): Row("/settings/", SIGNED_IN),
    ("people", "GET", ""): Row("/people?person=reader", _row(IN, 200, 403, 403, 403, 200)),
    ("people", "POST", "role"): Row(
        "/people",
        _row(OUT, 404, 403, 403, 403, 302),
        {"do": "role", "username": "reader", "namespace": "support", "role": "author"},
    ),
    ("people", "POST", "reactivate"): Row("/people", ACCOUNTS_DO, {"do": "reactivate", "username": "asleep"}),
    ("people", "POST", "end sessions"): Row("/people", ACCOUNTS_DO, {"do": "end_sessions", "username": "reader"}),
    ("deactivate-person", "GET", ""): Row("/people/reader/deactivate", ACCOUNTS),
    ("deactivate-person", "POST", ""): Row("/people/reader/deactivate", ACCOUNTS_DO, {}),
    ("reset-sign-in", "GET", ""): Row("/people/asleep/reset-sign-in", ACCOUNTS),
    ("reset-sign-in", "POST", ""): Row("/people/asleep/reset-sign-in", ACCOUNTS_DO, {}),
    ("mail", "GET", ""): Row("/mail", SIGNED_IN),
    ("mail", "POST", ""): Row("/mail", _row(OUT, 302, 302, 302, 302, 302), {"level": "mine"}),
}


@pytest.fixture
def world(reply, settings) -> dict[str, Any]:
    """Production on version 1, canary on 2 after 1; an open and an approved request; a key and a webhook."""
    settings.OUTBOUND_HOSTS = ["127.0.0.1"]
    manage_accounts(reply.people["admin"])
    return write_or_insert("world of the pages", lambda: _write_world(reply))


def _write_world(reply) -> dict[str, Any]:
    reply.save(THIRD)
    for number, before in ((1, None), (2, 1)):
        labels.move_label(actor=reply.actor("author"), name=REPLY, label="canary", version=number, expected=before)
    numbers = {}
    for state in ("open", "approved"):
        name = f"support/{state}"
        reply.save(name=name)
        change = change_services.propose_change(
            actor=reply.actor("author"), name=name, label="production", version=1, message=""
        )
        numbers[state] = change.number
    digest = change.version.digest
    decisions.decide_on_change(
        actor=reply.actor("reviewer"), number=numbers["approved"], decision="approve", digest=digest
    )
    key = keys.issue_key(actor=reply.actor("admin"), namespace="support", name="old", scope="read").key
    gold = save_rows(reply)
    datasets.save_dataset(actor=reply.actor("author"), name="support/refunds/unused", text=dataset_rows())
    started, finished = start_run(reply, finish=False), start_run(reply, "2")
    made = webhook_services.create_webhook(actor=reply.actor("admin"), namespace="support", url="http://127.0.0.1:9/")
    connection = connection_services.create_connection(
        actor=reply.actor("admin"), namespace="support", name="small", base_url="http://127.0.0.1:9/v1", model="small-1"
    )
    group_services.make_group(actor=reply.actor("admin"), namespace="support", title="Legal")
    group_services.add_to_group(actor=reply.actor("admin"), namespace="support", name="legal", username="reader")
    freeze = freeze_services.set_freeze(
        actor=reply.actor("admin"),
        namespace="support",
        repeat="once",
        starts="2100-01-01T00:00",
        ends="2100-01-02T00:00",
        reason="New year",
    )
    invited = invitation_services.invite_person(actor=reply.actor("admin"), namespace="support", role="reader")
    release, member = _open_release(reply)
    trial = playground_services.start_playground_run(actor=reply.actor("author"), name=REPLY, **TRIAL)
    return {
        **numbers,
        "release": release,
        "member": member.number,
        "approval": f"{member.number}:{member.version.digest}",
        "finished": finished.pk,
        **write_improvements(reply.actor("author"), REPLY, OURS),
        "trial": trial.pk,
        "shared": _share_draft(reply),
        "column": trial.columns.get().pk,
        "digest": digest,
        "newest": Version.objects.get(template__name=REPLY, number=3).digest,
        "key": key.id,
        "webhook": made.webhook.id,
        "connection": connection.id,
        "invitation": invited.invitation.id,
        "freeze": freeze.number,
        "secret": invited.link.rpartition("/")[2],
        "run": started.pk,
        "rows": gold.digest,
    }


def _open_release(reply) -> tuple[int, ChangeRequest]:
    """A release of two templates, and its first member; a third template is in none."""
    names = ["support/together/one", "support/together/two"]
    for name in (*names, "support/apart"):
        reply.save(name=name)
    release = proposals.propose_release(
        actor=reply.actor("author"),
        namespace="support",
        label="production",
        title="Together",
        selection=ReleaseSelection(versions=dict.fromkeys(names, 1)),
    ).release
    return release.number, release.members.select_related("version").order_by("number")[0]


def _share_draft(reply) -> str:
    """The end of the link of a draft that the author shares."""
    author = reply.actor("author")
    drafts.save_draft(
        actor=author, namespace="support", path="refunds/reply", document=OURS, base=1, name="Shared with all"
    )
    return shared_drafts.share_draft(actor=author, name=REPLY, draft_name="Shared with all").share_token


@pytest.fixture
def clients(desk, browser) -> dict[str, Client]:
    """Each caller's browser; those of the keys send theirs as a service does."""
    clients_by_name = {"anonymous": Client(), **{name: browser(name) for name in CALLERS[1:6]}}
    for name, scope in (("read key", "read"), ("write key", "write"), ("revoked key", "write")):
        issued = keys.issue_key(actor=desk.actor("admin"), namespace="support", name=name, scope=scope, person="author")
        clients_by_name[name] = Client(headers={"Authorization": f"Bearer {issued.secret}"})
    keys.revoke_key(actor=desk.actor("admin"), key_id=issued.key.id)
    return clients_by_name


def _fill(value: Any, world: dict[str, Any]) -> Any:
    """What of the world an address, or a value that is one name in braces, speaks of."""
    is_named = isinstance(value, str) and (value.startswith("/") or re.fullmatch(r"\{\w+\}", value))
    return value.format(**world) if is_named else value


def _ask(client: Client, method: str, row: Row, world: dict[str, Any]) -> Any:
    path, ask = _fill(row.path, world), getattr(client, method.lower())
    if row.sent is None:
        return ask(path)
    sent = {name: _fill(value, world) for name, value in row.sent.items()}
    if path.endswith(("/preview", "/draft")) or "/-/run/" in path:
        return ask(path, data=json.dumps(sent), content_type="application/json")
    return ask(path, sent)


def _try(client: Client, method: str, row: Row, world: dict[str, Any]) -> int:
    """Return the status; database and session are restored afterwards."""
    cookies = copy(client.cookies)
    with transaction.atomic():
        status: int = _ask(client, method, row, world).status_code
        transaction.set_rollback(True)
    client.cookies = cookies
    return status


def test_every_address_and_method_has_a_row(world, clients):
    rows = {(route, method): row for (route, method, _), row in TABLE.items()}
    methods_of_pages = set()
    pages = [pattern for pattern in urlpatterns if isinstance(pattern, URLPattern)]
    for pattern in [*pages, *account_urls.urlpatterns]:
        row = next((row for (route, _), row in rows.items() if route == pattern.name), None)
        assert row, f"{pattern.name} has no row"
        allowed = clients["admin"].options(_fill(row.path, world)).get("Allow", "any")  # by the page's own word
        methods = {method.strip() for method in allowed.split(",")} - {"HEAD", "OPTIONS"}
        methods_of_pages |= {(pattern.name, method) for method in methods}
    assert sorted(methods_of_pages) == sorted(rows)


@pytest.mark.slow
@pytest.mark.parametrize("caller", CALLERS)
def test_each_caller_gets_what_the_table_says(caller, world, clients):
    place = CALLERS.index(caller)
    statuses = {entry: _try(clients[caller], entry[1], row, world) for entry, row in TABLE.items()}
    wrong = {
        entry: (got, TABLE[entry].expected[place])
        for entry, got in statuses.items()
        if got != TABLE[entry].expected[place]
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("route", "act", "caller", "role"),
    [
        ("samples", "", "reader", "author"),
        ("labels", "move", "reader", "author"),
        ("labels", "roll back", "author", "reviewer"),
        ("change", "approve", "author", "reviewer"),
        ("change", "publish", "reader", "author"),
        ("members", "", "reviewer", "admin"),
        ("rules", "", "author", "admin"),
        ("keys", "issue", "reviewer", "admin"),
        ("keys", "revoke", "reviewer", "admin"),
        ("audit", "", "author", "admin"),
        ("edit", "", "reader", "author"),
        ("propose", "", "reader", "author"),
    ],
)
def test_a_refusal_says_which_role_is_missing_and_who_grants_it(route, act, caller, role, world, clients):
    answer = _ask(clients[caller], "POST", TABLE[route, "POST", act], world)
    page = read_html(answer)
    assert answer.status_code == 403
    assert f"You need the role {role} to " in page
    assert f" in support; {caller} is {caller}. Ask an admin of support: admin." in page
