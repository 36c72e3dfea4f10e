"""The linker."""
