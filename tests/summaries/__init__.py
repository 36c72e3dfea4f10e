"""What holds of functions."""
