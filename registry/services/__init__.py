"""Every write, one noun a file: keyword-only functions that check the right, change the rows and append an event."""
