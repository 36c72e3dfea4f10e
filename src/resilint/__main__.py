"""``python -m resilint``."""

from resilint.cli import main

if __name__ == "__main__":
    main()
