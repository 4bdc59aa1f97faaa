"""Tests of app.interfaces.reading."""
