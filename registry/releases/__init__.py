"""Releases: changes of several templates of a namespace that move one label together, all of them or none."""
