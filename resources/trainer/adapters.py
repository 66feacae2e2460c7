"""A run's registry of adapters as a program: ``python3 adapters.py --run-dir DIR COMMAND``; see ``ringside_trainer.adapters_main``."""

import sys

from ringside_trainer.adapters_main import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
