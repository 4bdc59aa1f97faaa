"""Readers of what other programs export."""
