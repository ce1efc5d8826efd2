"""Releases: changes of several templates of a namespace that are published together, or not at all."""
