"""Addresses of the API."""

from django.urls import URLPattern, URLResolver, path, re_path, register_converter

from registry.api import (
    changes,
    checks,
    converters,
    dependants,
    docs,
    fetches,
    keys,
    labels,
    merges,
    namespaces,
    samples,
    templates,
    threads,
    versions,
)
from registry.api.errors import unknown_address

register_converter(converters.NameConverter, "name")
register_converter(converters.RefConverter, "ref")

urlpatterns: list[URLPattern | URLResolver] = [
    path("schema", docs.Schema.as_view(), name="api-schema"),
    path("docs", docs.Docs.as_view(), name="api-docs"),
    path("templates", templates.Templates.as_view(), name="api-templates"),
    path("templates/<name:name>@<ref:ref>", versions.Fetch.as_view(), name="api-fetch"),
    path("templates/<name:name>/-/versions", versions.History.as_view(), name="api-versions"),
    path("templates/<name:name>/-/samples", samples.Samples.as_view(), name="api-samples"),
    path("templates/<name:name>/-/labels/<str:label>", labels.Move.as_view(), name="api-label"),
    path("templates/<name:name>/-/labels/<str:label>/roll-back", labels.RollBack.as_view(), name="api-roll-back"),
    path("templates/<name:name>/-/labels/<str:label>/history", labels.History.as_view(), name="api-label-history"),
    path("templates/<name:name>/-/dependants", dependants.Dependants.as_view(), name="api-dependants"),
    path("templates/<name:name>/-/archive", templates.Archive.as_view(), name="api-archive"),
    path("templates/<name:name>/-/unarchive", templates.Unarchive.as_view(), name="api-unarchive"),
    path("templates/<name:name>", templates.Template.as_view(), name="api-template"),
    path("changes", changes.Changes.as_view(), name="api-changes"),
    path("changes/<int:number>", changes.Change.as_view(), name="api-change"),
    path("changes/<int:number>/version", changes.SetVersion.as_view(), name="api-change-version"),
    path("changes/<int:number>/decisions", changes.Decide.as_view(), name="api-change-decisions"),
    path("changes/<int:number>/checks", changes.RunChecks.as_view(), name="api-change-checks"),
    path("changes/<int:number>/contract", changes.AcceptBreak.as_view(), name="api-change-contract"),
    path("changes/<int:number>/merge", merges.Merge.as_view(), name="api-change-merge"),
    path("changes/<int:number>/emergency", changes.Emergency.as_view(), name="api-change-emergency"),
    path("changes/<int:number>/publish", changes.Publish.as_view(), name="api-change-publish"),
    path("changes/<int:number>/withdraw", changes.Withdraw.as_view(), name="api-change-withdraw"),
    path("changes/<int:number>/reopen", changes.Reopen.as_view(), name="api-change-reopen"),
    path("changes/<int:number>/threads", threads.Threads.as_view(), name="api-threads"),
    path("changes/<int:number>/threads/<int:thread>/replies", threads.Replies.as_view(), name="api-thread-replies"),
    path("changes/<int:number>/threads/<int:thread>/resolve", threads.Resolve.as_view(), name="api-thread-resolve"),
    path("changes/<int:number>/suggestions", threads.Suggestions.as_view(), name="api-change-suggestions"),
    path("fetch", fetches.FetchMany.as_view(), name="api-fetch-many"),
    path("namespaces", namespaces.Namespaces.as_view(), name="api-namespaces"),
    path("namespaces/<str:namespace>", namespaces.OneNamespace.as_view(), name="api-namespace"),
    path("namespaces/<str:namespace>/members", namespaces.Members.as_view(), name="api-members"),
    path("namespaces/<str:namespace>/members/<str:person>", namespaces.Member.as_view(), name="api-member"),
    path("namespaces/<str:namespace>/keys", keys.Keys.as_view(), name="api-keys"),
    path("keys/<str:key>", keys.OneKey.as_view(), name="api-key"),
    path("keys/<str:key>/rotate", keys.Rotate.as_view(), name="api-key-rotate"),
    path("check", checks.Check.as_view(), name="api-check"),
    path("render", checks.Render.as_view(), name="api-render"),
    re_path(r"^(?P<rest>.*)$", unknown_address, name="api-unknown"),
]
