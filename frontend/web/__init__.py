"""What all pages share: sign-in, error pages, htmx, forms, breadcrumbs."""
