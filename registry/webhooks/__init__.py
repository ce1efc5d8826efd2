"""Webhooks: events as signed messages (Standard Webhooks) to addresses outside, each sent until it is taken."""
