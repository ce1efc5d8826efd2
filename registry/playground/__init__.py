"""Playground: trying a draft or version with models, side by side, before anything is saved."""
