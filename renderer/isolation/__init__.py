"""Rendering in a child process of its own, bounded in time, memory and output."""
