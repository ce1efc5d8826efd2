"""Rollouts: an approved change that goes live for a growing share of its label's callers."""
