"""Serving: fetches of versions, bundles, vocabularies and label moves, answered from memory."""
