"""Freezes: periods in which no protected label of a namespace moves forward."""
