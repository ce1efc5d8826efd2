"""Rollouts: an approved change that goes live for a growing share of the callers of its label."""
