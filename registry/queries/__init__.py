"""Every read, one noun a file. Each checks that the actor may see what it gives."""
