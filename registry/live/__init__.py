"""The live side of the web server: answers that wait or stream hold no thread here."""
