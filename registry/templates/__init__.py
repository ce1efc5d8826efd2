"""Templates: versions, labels, samples, drafts and previews."""
