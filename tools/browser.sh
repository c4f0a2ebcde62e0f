#!/usr/bin/env bash
# Sees that there is a browser, which the tests of the HTML report open it in: Chromium or Chrome, or what CHROMIUM names.
# As root on Debian and its kin it is installed when it is missing.
set -euo pipefail

for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable chrome \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    if [ -n "$name" ] && command -v "$name" >/dev/null; then
        exit 0
    fi
done
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core
    exit 0
fi
echo "no browser: the tests open the HTML report in one. Install Chromium or Chrome (Debian: apt-get install chromium)," >&2
echo "or name one: CHROMIUM=/path/to/it" >&2
exit 1
