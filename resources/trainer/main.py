"""The trainer as a program that needs no installation: ``python3 main.py --run-dir DIR --verifier URL …``; see ``ringside_trainer.cli``."""

import sys

from ringside_trainer.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
