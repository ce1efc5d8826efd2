"""The editor and its preview, token budget and drafts."""
