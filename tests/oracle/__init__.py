"""The run-time oracle: programs are generated, run for real on a virtual clock, and compared with what resilint says.

``generator`` writes programs, ``world`` runs them on every choice of their branches, ``compare`` holds both against
each
other, ``shrink`` makes a disagreement small, ``faults`` tests the oracle itself. ``python -m tests.oracle`` for long
runs.
"""
