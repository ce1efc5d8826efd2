"""Every text column of the database, with what it can contain, which decides what a redaction does there.

A test fails if a text column is missing from `COLUMNS`, which the redaction iterates. A new column must be listed here.
"""

from collections.abc import Mapping

from registry.redaction.column_contents import Holds

__all__ = ["COLUMNS", "list_columns"]

_NOTHING, _REMOVED, _BLANKED, _WORDS, _OWN = Holds
COLUMNS: Mapping[str, Mapping[str, Holds]] = {
    "registry_version": {
        "bundle": _REMOVED,
        "settings": _REMOVED,
        "problems": _REMOVED,
        "digest": _NOTHING,
        "message": _WORDS,
    },
    "registry_template": {
        "description": _REMOVED,  # those of the latest version, derived from it again
        "name": _NOTHING,
        "format": _NOTHING,
        "copied_from": _NOTHING,
    },
    "registry_formername": {"name": _NOTHING},
    "registry_searchentry": {  # and its index
        "words": _REMOVED,
        "facts": _REMOVED,
        "facets": _REMOVED,
        "name": _NOTHING,
    },
    "registry_searchcount": {"value": _REMOVED, "parent": _NOTHING, "kind": _NOTHING},
    "registry_tag": {"name": _REMOVED},
    "registry_inclusion": {"fragment": _NOTHING, "ref": _NOTHING},
    "registry_draft": {
        "document": _REMOVED,
        "samples": _REMOVED,
        "message": _REMOVED,
        "path": _NOTHING,
        "name": _OWN,
        "share_token": _NOTHING,
    },
    "registry_editorpresence": {"part": _BLANKED, "tab": _NOTHING},
    "registry_verdict": {
        "details": _REMOVED,
        "summary": _WORDS,  # counts and names of checks; also in the journal
        "check_name": _NOTHING,
        "key": _NOTHING,
        "outcome": _NOTHING,
    },
    "registry_rendering": {"text": _REMOVED, "digest": _NOTHING, "data": _NOTHING},
    "registry_thread": {"quote": _REMOVED, "side": _NOTHING, "sample": _OWN},
    "registry_comment": {"text": _WORDS, "suggestion": _WORDS},
    "registry_commentrevision": {"text": _WORDS},
    "registry_remark": {
        "quote": _REMOVED,
        "text": _REMOVED,
        "suggestion": _REMOVED,
        "side": _NOTHING,
        "sample": _NOTHING,
    },
    "registry_changerequest": {
        "message": _WORDS,
        "label": _NOTHING,
        "state": _NOTHING,
        "asked": _NOTHING,  # usernames and moments
        "planned_rollout": _NOTHING,
        "decided": _WORDS,  # summaries of checks, as in verdicts; also in the journal
    },
    "registry_release": {"title": _WORDS, "description": _WORDS, "label": _NOTHING, "state": _NOTHING},
    "registry_rollout": {
        "reason": _WORDS,
        "salt": _NOTHING,
        "steps": _NOTHING,
        "stop_rule": _NOTHING,
        "figures": _NOTHING,
        "state": _NOTHING,
        "label": _NOTHING,
    },
    "registry_releasecomment": {"text": _WORDS},
    "registry_releasecommentrevision": {"text": _WORDS},
    "registry_decision": {"text": _WORDS, "decision": _NOTHING, "label": _NOTHING, "digest": _NOTHING},
    "registry_labelmove": {"reason": _WORDS, "label": _NOTHING, "how": _NOTHING},
    "registry_redaction": {"reason": _WORDS},
    "registry_event": {
        "text": _WORDS,  # contains texts by digest, but messages and reasons in full
        "kind": _NOTHING,
        "person": _NOTHING,
        "key": _NOTHING,
        "namespace": _NOTHING,
        "template": _NOTHING,
        "hash": _NOTHING,
    },
    "registry_sampleset": {"text": _OWN, "digest": _NOTHING},
    "registry_datasetversion": {"text": _OWN, "message": _WORDS, "digest": _NOTHING, "content_digest": _NOTHING},
    "registry_improvement": {
        "document": _REMOVED,
        "bundle": _REMOVED,
        "explanation": _REMOVED,
        "reply": _REMOVED,
        "problems_text": _REMOVED,
        "input_changes_text": _REMOVED,
        "guidance": _REMOVED,
        "error": _BLANKED,
        "shown_rows": _NOTHING,  # numbers
        "model": _NOTHING,
        "model_digest": _NOTHING,
        "state": _NOTHING,
        "currency": _NOTHING,
        "draft_name": _OWN,
    },
    "registry_run": {
        "error": _BLANKED,
        "draft_bundle": _REMOVED,
        "scores_text": _NOTHING,
        "metrics": _NOTHING,
        "evaluation": _NOTHING,
        "judge_paths": _NOTHING,
        "rows_digest": _NOTHING,
        "model": _NOTHING,
        "model_digest": _NOTHING,
        "key": _NOTHING,
        "judge_model": _NOTHING,
        "judge_model_digest": _NOTHING,
        "state": _NOTHING,
        "currency": _NOTHING,
    },
    "registry_personscore": {"comment": _WORDS, "score": _NOTHING},
    "registry_countedscores": {
        "text": _NOTHING,  # rows by number, usernames and scores
        "digest": _NOTHING,
        "evaluation": _NOTHING,
        "rows_digest": _NOTHING,
        "model_digest": _NOTHING,
    },
    "registry_runrow": {"result": _REMOVED, "judgement_text": _REMOVED, "scores_text": _NOTHING},
    "registry_reply": {"text": _REMOVED, "key": _NOTHING},
    "registry_playgroundrun": {"inputs": _REMOVED, "name": _NOTHING, "sample": _OWN, "dataset": _NOTHING},
    "registry_playgroundcolumn": {
        "bundle": _REMOVED,
        "prompt": _REMOVED,
        "reply": _REMOVED,
        "tool_calls": _REMOVED,
        "output": _REMOVED,
        "problem": _BLANKED,
        "source": _NOTHING,
        "model": _NOTHING,
        "settings": _NOTHING,  # numbers
        "state": _NOTHING,
        "finish_reason": _NOTHING,
        "currency": _NOTHING,
    },
    "registry_outcome": {"name": _NOTHING, "trace_id": _NOTHING, "bucket": _NOTHING},
    "registry_outcometotal": {"name": _NOTHING},
    "registry_report": {"failures": _REMOVED, "inputs": _REMOVED, "tokens": _NOTHING},
    "registry_fetch": {"ref": _NOTHING, "former_name": _NOTHING},
    "registry_notification": {"sentence": _BLANKED, "kind": _NOTHING},
    "registry_job": {"error": _BLANKED, "kind": _NOTHING, "subject": _NOTHING, "payload": _NOTHING, "state": _NOTHING},
    "registry_delivery": {
        "body": _WORDS,  # the event's own facts
        "message": _NOTHING,
        "kind": _NOTHING,
        "state": _NOTHING,
    },
    "registry_attempt": {"said": _BLANKED},
    "registry_webhook": {
        "id": _NOTHING,
        "receiver": _NOTHING,
        "url": _NOTHING,
        "sealed_url": _NOTHING,
        "kinds": _NOTHING,
        "template": _NOTHING,
        "pause_reason": _BLANKED,
    },
    "registry_webhooksecret": {"sealed": _NOTHING},
    "registry_connection": {
        "id": _NOTHING,
        "name": _NOTHING,
        "protocol": _NOTHING,
        "base_url": _NOTHING,
        "model": _NOTHING,
        "sealed_key": _NOTHING,
        "currency": _NOTHING,
    },
    "registry_spendingcap": {"currency": _NOTHING},
    "registry_spending": {"model": _NOTHING, "currency": _NOTHING},
    "registry_remote": {
        "error": _BLANKED,
        "name": _NOTHING,
        "url": _NOTHING,
        "user": _NOTHING,
        "token_file": _NOTHING,
        "key_file": _NOTHING,
        "known_hosts": _NOTHING,
    },
    "registry_namespace": {
        "name": _NOTHING,
        "protected_labels": _NOTHING,
        "required_checks": _NOTHING,
        "compatibility": _NOTHING,
        "approval_rules": _NOTHING,
        "owners": _NOTHING,
        "standards": _WORDS,  # banned and required words; also in the journal
    },
    "registry_freeze": {"reason": _WORDS, "time_zone": _NOTHING},
    "registry_storedanswer": {
        "sealed": _NOTHING,  # a redaction deletes all rows, since encrypted text can't be searched
        "caller": _NOTHING,
        "idempotency_key": _NOTHING,
        "fingerprint": _NOTHING,
    },
    "registry_invitation": {"id": _NOTHING, "role": _NOTHING, "email": _NOTHING, "secret_sha256": _NOTHING},
    "registry_membership": {
        "role": _NOTHING,
        "own_role": _NOTHING,
        "folder_roles": _NOTHING,
        "highest_folder_role": _NOTHING,
    },
    "registry_group": {"name": _NOTHING, "title": _WORDS, "role": _NOTHING},
    "registry_folderrole": {"folder": _NOTHING, "role": _NOTHING},
    "registry_dataset": {"name": _NOTHING},
    "registry_livefailure": {"evaluation": _NOTHING, "label": _NOTHING, "findings": _NOTHING},
    "registry_attachment": {
        "name": _NOTHING,
        "pattern": _NOTHING,
        "model": _NOTHING,
        "gates": _NOTHING,
        "metrics": _NOTHING,
        "judge_model": _NOTHING,
        "judge_paths": _NOTHING,
    },
    "registry_commit": {"sha": _NOTHING},
    "registry_key": {
        "id": _NOTHING,
        "name": _WORDS,
        "scope": _NOTHING,
        "verbs": _NOTHING,
        "labels": _NOTHING,
        "addresses": _NOTHING,
        "secret_sha256": _NOTHING,
    },
    "registry_label": {"name": _NOTHING},
    "registry_savedview": {"name": _WORDS, "folder": _NOTHING, "query": _WORDS},
    "registry_watch": {"template": _NOTHING, "level": _NOTHING, "topics": _NOTHING},
    "registry_user": {
        "password": _NOTHING,
        "username": _NOTHING,
        "first_name": _NOTHING,
        "last_name": _NOTHING,
        "email": _NOTHING,
        "time_zone": _NOTHING,
        "language": _NOTHING,
        "promotion_source": _NOTHING,
        "promotion_target": _NOTHING,
        "folder_layout": _NOTHING,
    },
    # Tables of Django and allauth: accounts, sessions and their counters.
    "auth_permission": {"name": _NOTHING, "codename": _NOTHING},
    "auth_group": {"name": _NOTHING},
    "django_content_type": {"app_label": _NOTHING, "model": _NOTHING},
    "django_session": {"session_key": _NOTHING, "session_data": _NOTHING},
    "django_migrations": {"app": _NOTHING, "name": _NOTHING},
    "promptuary_cache": {"cache_key": _NOTHING, "value": _NOTHING},
    "account_emailaddress": {"email": _NOTHING},
    "account_emailconfirmation": {"key": _NOTHING},
    "usersessions_usersession": {
        "session_key": _NOTHING,
        "user_agent": _NOTHING,
        "ip": _NOTHING,
        "data": _NOTHING,
    },
    "mfa_authenticator": {"type": _NOTHING, "data": _NOTHING},
    "socialaccount_socialapp": {
        "provider": _NOTHING,
        "provider_id": _NOTHING,
        "name": _NOTHING,
        "client_id": _NOTHING,
        "secret": _NOTHING,
        "key": _NOTHING,
        "settings": _NOTHING,
    },
    "socialaccount_socialaccount": {"provider": _NOTHING, "uid": _NOTHING, "extra_data": _NOTHING},
    "socialaccount_socialtoken": {"token": _NOTHING, "token_secret": _NOTHING},
}


def list_columns(*holds: Holds) -> list[tuple[str, str]]:
    """The columns that can contain this, each as (table, column)."""
    return [
        (table, column)
        for table, columns in COLUMNS.items()
        for column, handling in columns.items()
        if handling in holds
    ]
