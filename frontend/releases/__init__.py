"""Pages of releases: propose several templates together, review them, publish all or none."""
