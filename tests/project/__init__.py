"""Tests about the project itself: its pages, its words, its packaging."""
