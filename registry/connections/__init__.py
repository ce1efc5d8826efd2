"""Connections: the models that can be called, those of the operator and those of a namespace."""
