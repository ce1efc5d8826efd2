"""Isolation: rendering in a child process that is bounded in time, memory and output."""
