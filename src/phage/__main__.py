"""``python -m phage`` is the command ``phage``."""

from phage.cli import main

if __name__ == "__main__":
    main()
