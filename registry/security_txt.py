"""`/.well-known/security.txt` (RFC 9116): where vulnerabilities of this installation are reported."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

__all__ = ["show_contacts"]

VALID_DAYS = 90


@require_safe
def show_contacts(_request: HttpRequest) -> HttpResponse:
    """The contacts of PROMPTUARY_SECURITY_CONTACTS, by default security@ the host's own domain; valid for 90 days."""
    host = urlsplit(settings.BASE_URL).hostname
    expires = (datetime.now(UTC) + timedelta(days=VALID_DAYS)).replace(microsecond=0)
    lines = [f"Contact: {contact}" for contact in settings.SECURITY_CONTACTS or [f"mailto:security@{host}"]]
    lines.append(f"Expires: {expires.isoformat().replace('+00:00', 'Z')}")
    lines.append(f"Canonical: {settings.BASE_URL}/.well-known/security.txt")
    if settings.SECURITY_POLICY_URL:
        lines.append(f"Policy: {settings.SECURITY_POLICY_URL}")
    lines.append("Preferred-Languages: en")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")
