"""`N=8 python loadtest.py`: submits N products to the running LPS; `./lps load --help` has more."""

from __future__ import annotations

import os
import sys

from cli.__main__ import main

number = os.getenv("N", "8")  # noqa: TID251 - the one setting of this script
sys.argv = ["lps", "load", "--number", number, *sys.argv[1:]]
sys.exit(main())
