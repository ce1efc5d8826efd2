"""What all pages share: the frame of a page, sign-in, refusals, forms, wording."""
