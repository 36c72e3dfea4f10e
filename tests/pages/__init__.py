"""Markdown pages that are run as tests: ``reader`` finds the projects in a page, ``markers`` what their lines claim,
``runner`` analyses them, ``matcher`` compares, ``bless`` rewrites the ``output`` blocks. CONTRIBUTING.md describes the
format.
"""
