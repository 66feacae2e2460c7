"""Runs the unittest tests below a folder and writes their counts as JSON: python3 python_tests.py FOLDER REPORT."""

import json
import sys
import unittest


def main(folder: str, report: str) -> int:
    suite = unittest.defaultTestLoader.discover(folder, pattern="test_*.py", top_level_dir=folder)
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    skipped = len(result.skipped) + len(result.expectedFailures)
    counts = {"passed": max(0, result.testsRun - failed - skipped), "failed": failed, "skipped": skipped}
    with open(report, "w", encoding="utf-8") as file:
        json.dump(counts, file)
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
