"""The program as `python -m kinemesh`."""

import sys

from kinemesh.cli import main

if __name__ == "__main__":
    sys.exit(main())
