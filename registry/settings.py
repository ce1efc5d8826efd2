"""All settings. Those that differ between installations come from the environment, read by registry.core.env."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_email_url
from csp.constants import NONCE, NONE, SELF

from registry.core import databases, env, private_files

BASE_DIR = Path(__file__).resolve().parent.parent

# --- Where this instance lives -----------------------------------------------------------------------------------
PROMPTUARY_HOME = env.read_path("PROMPTUARY_HOME", BASE_DIR / "var")
private_files.keep_private(PROMPTUARY_HOME)  # first, because it sets the umask for everything written later
PORT = env.read_int("PORT", 8000, minimum=1, maximum=65535)
BASE_URL = env.read_url("PROMPTUARY_BASE_URL", f"http://127.0.0.1:{PORT}", schemes={"http", "https"})
MIRROR_PATH = PROMPTUARY_HOME / "mirror.git"
MODELS_PATH = env.read_path("PROMPTUARY_MODELS", PROMPTUARY_HOME / "models.yml")

# --- Security ----------------------------------------------------------------------------------------------------
DEBUG = env.read_bool("PROMPTUARY_DEBUG", False)
SECRET_KEY = env.read_secret("PROMPTUARY_SECRET_KEY", PROMPTUARY_HOME / "secret_key")
ALLOWED_HOSTS = env.read_list("PROMPTUARY_ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
HTTPS = BASE_URL.startswith("https://")
CSRF_TRUSTED_ORIGINS = [BASE_URL]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "__Host-session" if HTTPS else "promptuary-session"
CSRF_COOKIE_NAME = "__Host-csrf" if HTTPS else "promptuary-csrf"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_SAVE_EVERY_REQUEST = False
CSRF_FAILURE_VIEW = "frontend.web.refusals.csrf_failed"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31536000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_SSL_REDIRECT = HTTPS
TRUST_PROXY = env.read_bool("PROMPTUARY_TRUST_PROXY", False)
if TRUST_PROXY:  # only safe behind a proxy that sets this header itself
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_NUMBER_FILES = 500  # as many as one import accepts
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024  # bytes; a document is at most 256 KiB, its samples 1 MiB
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

SECURITY_CONTACTS = env.read_list("PROMPTUARY_SECURITY_CONTACTS", [])  # mailto: or https: addresses for security.txt
SECURITY_POLICY_URL = env.read_text("PROMPTUARY_SECURITY_POLICY", "")

# --- Django ------------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "registry",
    "django_prometheus",  # after the registry, which chooses the files of its metrics
    "frontend",  # before allauth, whose templates it overrides
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
]
MIDDLEWARE = [
    "registry.middleware.name_request",
    "registry.middleware.count_work",
    "registry.middleware.answer_probes",
    "registry.middleware.refuse_unknown_hosts",
    "registry.middleware.refuse_bad_lengths",
    "registry.middleware.drop_bad_cookies",
    "django_prometheus.middleware.PrometheusBeforeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "frontend.web.decorators.serve_stylesheets",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "registry.middleware.note_session",
    "frontend.web.decorators.use_language",
    "frontend.web.decorators.use_time_zone",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "frontend.web.decorators.redirect_from_panel",
    "frontend.web.decorators.RefusalMiddleware",
    "registry.middleware.refuse_nul",  # late, so that its page has the user
    "registry.middleware.RefuseBrokenBodies",
    "frontend.web.decorators.explain_methods",
    "django_prometheus.middleware.PrometheusAfterMiddleware",
]
ROOT_URLCONF = "registry.urls"
WSGI_APPLICATION = "registry.wsgi.application"
APPEND_SLASH = True  # /runs redirects to /runs/; no URL of the API ends in a slash
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "frontend.web.page.frame",
            ]
        },
    }
]
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]  # each with its catalogues in frontend/locale
FINDING_TRANSLATOR = "frontend.web.findings.translate_finding"  # for streams, which are a layer below the pages
FORMAT_MODULE_PATH = ["frontend.locale"]
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True

# --- People ------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "registry.User"
PASSWORD_HASHERS = ["registry.accounts.signin.password_hashing.SlotArgon2Hasher"]
PASSWORD_SLOTS = 4  # passwords hashed at once on this machine; each takes 100 MB
PASSWORD_SLOTS_PATH = PROMPTUARY_HOME / "locks"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
LOGIN_URL = "/login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login"

# --- Signing in: passwords, a second step, and an OpenID provider -------------------------------------------------
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "registry.accounts.signin.allauth_adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]  # not asked for: accounts come from admins
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_UNIQUE_EMAIL = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False  # this session continues, all others end
ACCOUNT_REAUTHENTICATION_TIMEOUT = 900  # seconds that a reauthentication is valid
ACCOUNT_RATE_LIMITS = {  # counted in the shared cache, across all processes
    "login": "60/m/ip",
    "login_failed": "30/5m/ip,5/5m/key",  # keyed by account and client address, see AccountAdapter
    "reauthenticate": "10/m/user",
    "change_password": "5/m/user",
    "accept_invitation": "10/m/ip",
    "confirm_address": "5/h/user",
}
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if TRUST_PROXY else 0
MFA_ADAPTER = "registry.accounts.signin.allauth_adapters.CodesAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_USER_VERIFICATION = "required"  # a fingerprint, a face or a PIN, so that a found device is useless
MFA_FORMS = {
    "add_webauthn": "registry.accounts.signin.passkeys.AddPasskeyForm",
    "edit_webauthn": "registry.accounts.signin.passkeys.RenamePasskeyForm",
    "authenticate_webauthn": "registry.accounts.signin.passkeys.PasskeySecondStepForm",
    "reauthenticate_webauthn": "registry.accounts.signin.passkeys.PasskeyProofForm",
}
MFA_TOTP_ISSUER = "Promptuary"
MFA_RECOVERY_CODE_COUNT = 10
PROMPTUARY_STEP_UP = env.read_choice("PROMPTUARY_STEP_UP", "off", choices=("off", "password", "totp"))
PROMPTUARY_UNUSED_KEY_DAYS = env.read_int("PROMPTUARY_UNUSED_KEY_DAYS", 60, minimum=0, maximum=3650)  # 0: no alert
# who may create namespaces: admins of the installation, or everyone who signs in
PROMPTUARY_NAMESPACE_CREATORS = env.read_choice(
    "PROMPTUARY_NAMESPACE_CREATORS", "admins", choices=("admins", "everyone")
)
PROMPTUARY_RUN_DAYS = env.read_int("PROMPTUARY_RUN_DAYS", 365, minimum=0, maximum=3650)  # 0: runs are kept forever
OIDC_ISSUER = env.read_issuer("PROMPTUARY_OIDC_ISSUER")
OIDC_NAME = env.read_text("PROMPTUARY_OIDC_NAME", "your organisation")
OIDC_ACCOUNTS = env.read_list("PROMPTUARY_OIDC_ACCOUNTS", ["known"])  # known, any, or mail domains
SOCIALACCOUNT_ADAPTER = "registry.accounts.signin.allauth_adapters.ProviderAdapter"
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_STORE_TOKENS = False
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "oidc",
                "name": OIDC_NAME,
                "client_id": env.read_text("PROMPTUARY_OIDC_CLIENT_ID", "promptuary"),
                "secret": env.read_optional_secret("PROMPTUARY_OIDC_CLIENT_SECRET"),
                "settings": {"server_url": OIDC_ISSUER},
            }
        ]
        if OIDC_ISSUER
        else [],
    }
}

# --- Database ----------------------------------------------------------------------------------------------------
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
MIGRATION_MODULES = {"registry": "migrations"}
_database_url = env.read_url(
    "PROMPTUARY_DATABASE_URL",
    f"sqlite:///{PROMPTUARY_HOME / 'promptuary.sqlite3'}",
    schemes={"sqlite", "postgres", "postgresql"},
)
DATABASE_POOLED = env.read_bool("PROMPTUARY_DATABASE_POOLED", False)  # by PgBouncer or another one in transaction mode
DATABASES: dict[str, Any] = {"default": databases.describe_database(_database_url, is_pooled=DATABASE_POOLED)}

# --- Caches --------------------------------------------------------------------------------------------------------
SHARED_CACHE_TABLE = "promptuary_cache"
CACHES: dict[str, Any] = {
    # State shared by all processes: failed sign-ins and used codes. Never written by a fetch.
    "default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": SHARED_CACHE_TABLE},
    # The count of a person's pending items, which is on every page; separate, so that it doesn't evict the above.
    "frames": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "frames"},
}

# --- Static files: served from the sources until `collectstatic` has made hashed copies ----------------------------
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATIC_ROOT.mkdir(exist_ok=True)  # whitenoise warns about a missing folder
_collected = (STATIC_ROOT / "staticfiles.json").exists()
_collects = sys.argv[1:2] == ["collectstatic"]  # for the first time, there is nothing yet to recognize it by
WHITENOISE_USE_FINDERS = not _collected
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if _collected or _collects
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# --- Mail: submission://user:password@host, or console: for the demo ------------------------------------------------
_mail_url = env.read_url("PROMPTUARY_EMAIL_URL", "dummy:", schemes={"smtp", "submission", "console", "dummy"})
_mail = dj_email_url.parse(_mail_url)
MAIL_IS_SENT = not _mail_url.startswith("dummy:")
EMAIL_BACKEND = _mail["EMAIL_BACKEND"]
EMAIL_HOST = _mail["EMAIL_HOST"] or ""
EMAIL_PORT = _mail["EMAIL_PORT"] or 25
EMAIL_HOST_USER = _mail["EMAIL_HOST_USER"] or ""
EMAIL_HOST_PASSWORD = _mail["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS = _mail["EMAIL_USE_TLS"]
EMAIL_USE_SSL = _mail["EMAIL_USE_SSL"]
EMAIL_TIMEOUT = 10  # seconds
MAIL_HAS_DIFFS = env.read_bool("PROMPTUARY_EMAIL_DIFFS", True)
DEFAULT_FROM_EMAIL = env.read_text("PROMPTUARY_EMAIL_FROM", f"promptuary@{urlsplit(BASE_URL).hostname}")

# --- The outside ---------------------------------------------------------------------------------------------------
# Hosts that webhooks, remotes and model endpoints may reach although their addresses are not public.
OUTBOUND_HOSTS = env.read_list("PROMPTUARY_OUTBOUND_HOSTS", [])
MIRROR_HOSTS = env.read_list("PROMPTUARY_MIRROR_HOSTS", [])  # the only hosts that the mirror is pushed to

# --- Background work ---------------------------------------------------------------------------------------------
_broker = PROMPTUARY_HOME / "broker"
CELERY_BROKER_URL = env.read_url("PROMPTUARY_BROKER_URL", "filesystem://", schemes={"filesystem", "redis", "rediss"})
if CELERY_BROKER_URL.startswith("filesystem:"):
    CELERY_BROKER_URL = "filesystem://"
    _queue, _control = _broker / "queue", _broker / "control"
    for _folder in (_queue, _control):
        _folder.mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
        "data_folder_in": str(_queue),
        "data_folder_out": str(_queue),
        "control_folder": str(_control),
        "polling_interval": 0.05,
    }
else:
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600}
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
# Acknowledge before the task runs: with Redis, a late acknowledgement after a lost connection ends the worker. A lost
# message is harmless: the clock finds remaining work.
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False  # the demo prints mail unchanged, not as warnings
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True

# --- API ---------------------------------------------------------------------------------------------------------
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "registry.namespaces.authentication.KeyAuthentication",
        "rest_framework.authentication.SessionAuthentication",  # requires the CSRF token on writes
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["registry.rest.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "registry.rest.negotiation.JsonOnly",
    "DEFAULT_THROTTLE_CLASSES": [
        "registry.namespaces.throttling.CallThrottle",
        "registry.namespaces.throttling.WorkThrottle",
    ],
    "NUM_PROXIES": 1 if TRUST_PROXY else 0,  # without one, X-Forwarded-For is not trusted
    "DEFAULT_SCHEMA_CLASS": "registry.idempotency.api_schema.ApiSchema",
    "DEFAULT_METADATA_CLASS": None,
    "EXCEPTION_HANDLER": "registry.api.errors.handle_exception",
}
PROMPTUARY_RATES = {  # per key, person or address; with a broker all processes count together
    "anonymous": env.read_text("PROMPTUARY_RATE_ANONYMOUS", "120/min"),
    "caller": env.read_text("PROMPTUARY_RATE_CALLER", "6000/min"),
    "render": env.read_text("PROMPTUARY_RATE_RENDER", "1200/min"),  # checks, saves and renderings start child processes
    "work": env.read_text("PROMPTUARY_RATE_WORK", "30/min"),  # seconds of server work per key
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Promptuary",
    "DESCRIPTION": "The registry's HTTP interface.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    # Relative to the URL of the document, so that the same file is valid for every installation.
    "SERVERS": [{"url": "/", "description": "The server that serves this document"}],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "registry.api.openapi.declare_problem_type",
    ],
    "ENUM_NAME_OVERRIDES": {  # fields called `state` or `side`
        "ChangeStateEnum": ["open", "approved", "published", "withdrawn"],
        "CheckStateEnum": ["passed", "failed", "waiting"],
        "ImprovementStateEnum": [
            "queued",
            "asking",
            "measuring",
            "done",
            "failed",
            "stopped",
            "taken",
            "dismissed",
        ],
        "LabelPreviewOutputStateEnum": ["new", "equal", "ahead", "back", "superseded", "diverged"],
        "ReleaseStateEnum": ["open", "published", "withdrawn"],
        "RolloutStateEnum": ["running", "paused", "stopped", "finished"],
        "RolloutSideEnum": ["stable", "candidate"],
        "SideEnum": ["source", "rendered"],
    },
}

# --- Being watched, and watching -----------------------------------------------------------------------------------
PROMPTUARY_WAITING = env.read_int("PROMPTUARY_WAITING", 4, minimum=0, maximum=64)  # long polls in threads of a process
PROMPTUARY_METRICS = env.read_bool("PROMPTUARY_METRICS", True)  # /metrics, with the token
PROMPTUARY_METRICS_TOKEN = (
    env.read_secret("PROMPTUARY_METRICS_TOKEN", PROMPTUARY_HOME / "metrics_token") if PROMPTUARY_METRICS else ""
)
METRICS_PATH = PROMPTUARY_HOME / "metrics"  # each process's metrics, summed by the process that serves /metrics
if PROMPTUARY_METRICS and not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    with suppress(OSError):  # on a full disk, each process counts for itself
        METRICS_PATH.mkdir(exist_ok=True)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(METRICS_PATH)  # prometheus_client reads it when it is imported

# --- Logs --------------------------------------------------------------------------------------------------------
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request": {"()": "registry.core.tracing.RequestIdFilter"},
        "refusals": {"()": "registry.observability.log_filters.RefusalsInShort"},
    },
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["request", "refusals"]}
    },
    # They log complete URLs, and the URL of a Slack or Teams channel is a secret.
    "loggers": {"httpx": {"level": "WARNING"}, "httpcore": {"level": "WARNING"}},
    "root": {"handlers": ["console"], "level": env.read_text("PROMPTUARY_LOG_LEVEL", "WARNING").upper()},
}
