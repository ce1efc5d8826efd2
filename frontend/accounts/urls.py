"""URLs of sign-in and the user's account.

The names are those that allauth looks up. Pages that aren't routed here (sign-up, email addresses, connections) can't
be reached.
"""

from allauth.account import views as passwords
from allauth.mfa.base import views as steps
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from django.urls import path
from django.views.decorators.http import require_safe

from frontend.accounts import (
    account_views,
    invitation_views,
    oidc_views,
    own_key_views,
    passkey_views,
    single_sign_on_views,
    views,
)
from frontend.web.decorators import form_page

urlpatterns = [
    path("login", views.log_in, name="login"),
    path("login", views.log_in, name="account_login"),
    path("login/code", form_page(passkey_views.EnterSecondStep.as_view()), name="mfa_authenticate"),
    path("login/passkey", passkey_views.sign_in_with_passkey, name="mfa_login_webauthn"),
    path("login/with/<str:provider_id>", oidc_views.start_sign_in, name="openid_connect_login"),
    path("login/with/<str:provider_id>/back", single_sign_on_views.complete_sign_in, name="openid_connect_callback"),
    path("login/stopped", oidc_views.show_cancelled, name="socialaccount_login_cancelled"),
    path("invitations/<str:secret>", invitation_views.accept_invitation, name="invitation"),
    path("people/single-sign-on", single_sign_on_views.show_single_sign_on, name="single-sign-on"),
    path("people/single-sign-on/try", single_sign_on_views.try_sign_in, name="try-single-sign-on"),
    path("logout", views.log_out, name="logout"),
    path("account", account_views.manage_account, name="mfa_index"),
    path("account/address/<str:token>", account_views.confirm_own_address, name="confirm-address"),
    path("account/keys", own_key_views.manage_own_keys, name="own-keys"),
    path("account/password", form_page(passwords.password_change), name="account_change_password"),
    path("account/no-password", views.show_no_password, name="account_set_password"),
    path("account/prove", form_page(passwords.reauthenticate), name="account_reauthenticate"),
    path("account/prove/code", form_page(steps.reauthenticate), name="mfa_reauthenticate"),
    path(
        "account/prove/passkey", form_page(passkey_views.ProveByPasskey.as_view()), name="mfa_reauthenticate_webauthn"
    ),
    path("account/passkeys/new", form_page(passkey_views.AddPasskey.as_view()), name="mfa_add_webauthn"),
    path("account/passkeys/<int:pk>/name", form_page(passkey_views.RenamePasskey.as_view()), name="mfa_edit_webauthn"),
    path(
        "account/passkeys/<int:pk>/remove", form_page(passkey_views.RemovePasskey.as_view()), name="mfa_remove_webauthn"
    ),
    path("account/second-step", form_page(totp.activate_totp), name="mfa_activate_totp"),
    path("account/second-step/off", form_page(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path("account/recovery-codes", require_safe(codes.view_recovery_codes), name="mfa_view_recovery_codes"),
    path("account/recovery-codes/new", form_page(codes.generate_recovery_codes), name="mfa_generate_recovery_codes"),
    path(
        "account/recovery-codes/file", require_safe(codes.download_recovery_codes), name="mfa_download_recovery_codes"
    ),
]
