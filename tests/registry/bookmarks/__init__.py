"""Tests of favourites and saved views."""
