"""Browsing: folders, search, a template with its versions, labels, samples and fetches."""
