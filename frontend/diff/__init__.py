"""Two versions side by side: source, rendered prompt, samples."""
