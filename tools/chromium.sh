#!/usr/bin/env bash
# A Chromium for the browser tests: the one that is there, else Debian's where it may be installed, else a note.
set -uo pipefail
python=${1:?the python of the virtual environment}
if "$python" -c 'import sys; from planetfall.viewer.headless.browser import find_browser; sys.exit(find_browser() is None)'; then
  exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
  echo "Note: no Chromium here, and it may not be installed; browser tests will skip" >&2
  exit 0
fi
echo "Installing Debian's chromium for the browser tests"
install() { apt-get install -y --no-install-recommends chromium >/dev/null 2>&1; }
install || { apt-get update >/dev/null 2>&1 && install; } ||
  echo "Note: Debian's chromium could not be installed; browser tests will skip" >&2
