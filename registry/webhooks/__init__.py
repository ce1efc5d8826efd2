"""Webhooks: events as signed messages (Standard Webhooks) to addresses outside, each retried until it is accepted."""
