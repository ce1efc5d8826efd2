"""Playground: a person asks models with a draft or a version, side by side, before anything is saved."""
