"""``python3 -m ringside_trainer --run-dir DIR --verifier URL [--verifier-file FILE] [--stand-in]``. Started again, it goes on.

Exit codes: 0 done, stopped or interrupted by a signal; 75 ended while the verifier was silent (everything is saved: start it again); 76 a
gate stopped the run; 1 anything else, with one line on stderr.
"""

from __future__ import annotations

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
