"""Draw the scores of a run."""

import json
import sys

for line in open(sys.argv[1]):
    print(json.loads(line)["score"])
