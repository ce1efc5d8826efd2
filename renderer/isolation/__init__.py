"""Isolation: rendering in a child process with limits on time, memory and output."""
