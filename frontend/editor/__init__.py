"""The editor with its preview, token budget and drafts."""
