"""The trainer for a GPU box: it journals every rollout, and never trains on a verifier's silence.

Everything but ``trl_glue`` and what it imports uses the standard library alone, so that it runs and is tested anywhere.
"""

__version__ = "0.1.0"
