"""One module a page, one function a view."""
