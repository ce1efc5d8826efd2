"""Patterns of credentials: the kinds that gitleaks and detect-secrets know and that have a distinctive form.

docs/decisions/020 explains why we have our own list. A pattern only runs if one of its keywords occurs. It takes linear
time: repetitions are bounded, or can only begin where the run before them ends.
"""

import re
from dataclasses import dataclass

__all__ = ["PATTERNS", "Pattern"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of credential. The first group, if any, is the credential itself, else the whole match.

    keywords: texts of which every match contains at least one.
    """

    kind: str
    keywords: tuple[str, ...]
    regex: re.Pattern[str]


def _build_pattern(kind: str, keywords: str, regex: str) -> Pattern:
    return Pattern(kind, tuple(keywords.split()), re.compile(regex))


PATTERNS = (
    Pattern(
        "a private key", ("PRIVATE KEY",), re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
    ),
    _build_pattern("an age key", "AGE-SECRET-KEY-", r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
    # Clouds
    _build_pattern(
        "an AWS access key", "AKIA ASIA ABIA ACCA A3T", r"\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"
    ),
    _build_pattern(
        "an AWS secret key",
        "ecret ECRET",
        r"(?i:secret[_-]?(?:access[_-]?)?key[\"']?\s{0,8}[:=]\s{0,8}[\"']?)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _build_pattern("a Google API key", "AIza", r"\bAIza[0-9A-Za-z_-]{35}(?![0-9A-Za-z_-])"),
    _build_pattern("a Google OAuth secret", "GOCSPX-", r"\bGOCSPX-[0-9A-Za-z_-]{28}(?![0-9A-Za-z_-])"),
    _build_pattern("a Google access token", "ya29.", r"\bya29\.[0-9A-Za-z_-]{20,}"),
    _build_pattern(
        "a key of a Google Cloud service account",
        "private_key_id",
        r"private_key_id\\?[\"']?\s{0,8}[:=]\s{0,8}\\?[\"']?([0-9a-f]{40})\b",
    ),
    _build_pattern(
        "an Azure storage key",
        "AccountKey SharedAccessKey",
        r"\b(?:AccountKey|SharedAccessKey)\s{0,4}=\s{0,4}([A-Za-z0-9+/]{40,100}={0,2})",
    ),
    _build_pattern(
        "an Azure client secret", "Q~", r"(?<![\w~.-])[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![\w~-])"
    ),
    _build_pattern("a signature of an Azure address", "sig=", r"[?&;]sig=([A-Za-z0-9%+/]{43,200}(?:=|%3[Dd]))"),
    _build_pattern("a Databricks token", "dapi", r"\bdapi[0-9a-f]{32}(?:-\d)?\b"),
    _build_pattern("a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"\bdo[opr]_v1_[0-9a-f]{64}\b"),
    # Models
    _build_pattern("an Anthropic API key", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    _build_pattern("an OpenAI API key", "sk-", r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    _build_pattern("a Hugging Face token", "hf_ api_org_", r"\b(?:hf_|api_org_)[A-Za-z0-9]{30,}\b"),
    _build_pattern("a Groq API key", "gsk_", r"\bgsk_[A-Za-z0-9]{20,}\b"),
    _build_pattern("an xAI API key", "xai-", r"\bxai-[A-Za-z0-9]{40,}\b"),
    _build_pattern("a Perplexity API key", "pplx-", r"\bpplx-[A-Za-z0-9]{40,}\b"),
    _build_pattern("a Replicate token", "r8_", r"\br8_[A-Za-z0-9]{37}\b"),
    _build_pattern("a LangSmith key", "lsv2_", r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}\b"),
    # Code and packages
    _build_pattern(
        "a GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}\b",
    ),
    _build_pattern(
        "a GitLab token",
        "glpat- gldt- glft- glsoat- glrt- glcbt- glimt- glptt- glagent- gloas- GR1348941",
        r"\bgl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[A-Za-z0-9_-]{20,}|\bGR1348941[A-Za-z0-9_-]{20,}",
    ),
    _build_pattern("an Atlassian token", "ATATT3 ATBB", r"\bATATT3[A-Za-z0-9_=-]{100,}|\bATBB[A-Za-z0-9]{28,36}\b"),
    _build_pattern("an npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    _build_pattern(
        "an npm token",
        ":_authToken",
        r":_authToken\s{0,8}=\s{0,8}[\"']?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b",
    ),
    _build_pattern("a PyPI token", "pypi-AgE", r"\bpypi-AgE[A-Za-z0-9_-]{40,}"),
    _build_pattern("a RubyGems key", "rubygems_", r"\brubygems_[0-9a-f]{48}\b"),
    _build_pattern("a Docker Hub token", "dckr_pat_", r"\bdckr_pat_[A-Za-z0-9_-]{20,}"),
    _build_pattern("a HashiCorp Vault token", "hvs. hvb.", r"\bhv[sb]\.[A-Za-z0-9_-]{60,}"),
    # Messages and payments
    _build_pattern(
        "a Slack token",
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe. xapp-",
        r"\bxox[abeoprs][-.][A-Za-z0-9-]{10,}|\bxapp-\d-[A-Za-z0-9-]{20,}",
    ),
    _build_pattern(
        "a Slack webhook",
        "hooks.slack.com/",
        r"\bhooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,}",
    ),
    _build_pattern(
        "a Discord webhook",
        "/api/webhooks/",
        r"\bdiscord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9_-]{40,}",
    ),
    _build_pattern("a Telegram bot token", ":AA", r"(?<!\d)\d{8,10}:AA[0-9A-Za-z_-]{33}(?![0-9A-Za-z_-])"),
    _build_pattern("a Twilio key", "SK AC", r"\b(?:SK|AC)[0-9a-f]{32}\b"),
    _build_pattern("a SendGrid key", "SG.", r"\bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}(?![A-Za-z0-9_-])"),
    _build_pattern("a Mailgun key", "key-", r"\bkey-[0-9a-f]{32}\b"),
    _build_pattern("a Mailchimp key", "-us", r"(?<![0-9a-z])[0-9a-f]{32}-us\d{1,2}\b"),
    _build_pattern("a Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{20,}\b"),
    _build_pattern("a webhook's secret", "whsec_", r"\bwhsec_[A-Za-z0-9+/]{24,}={0,2}"),
    _build_pattern("a Shopify token", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    _build_pattern("a Square token", "sq0atp- sq0csp-", r"\bsq0(?:atp-[A-Za-z0-9_-]{22}|csp-[A-Za-z0-9_-]{43})"),
    # Of this registry, and generic ones
    _build_pattern("a key of this registry", "pb_ pt_", r"\bp[bt]_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{40,}\b"),
    _build_pattern(
        "a signed web token",
        "eyJ",
        r"(?<![A-Za-z0-9_.-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    ),
    _build_pattern(
        "a password in an address",
        "://",
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{0,20}://[^\s:/@{}<>]{0,200}:[^\s:/@{}<>]{4,200}@[^\s/]",
    ),
    _build_pattern(
        "a user name and password",
        "asic ASIC",
        r"(?i:\bauthorization[\"']?\s{0,8}[:=]?\s{0,8}[\"']?basic)\s{1,8}([A-Za-z0-9+/]{8,400}={0,2})",
    ),
)
