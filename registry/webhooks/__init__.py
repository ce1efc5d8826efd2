"""Webhooks: events as signed messages (Standard Webhooks) to outside addresses, retried until accepted."""
