"""Connections: the models that evaluations may ask, those of the operator and those of a namespace."""
