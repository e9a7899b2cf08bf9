#!/usr/bin/env bash
# Tries a wheel and a source distribution from outside a checkout, as a user has them.
#
#   tools/try_package.sh DIST [VERSION] [PYTHON...]
#
# Each Python gets an environment of its own with the packages of requirements.lock, imports, lists and runs once. Those that
# are not here, of 3.11 to 3.14, are named. The source distribution is looked at for what its tests need, and has to make the same wheel.
set -euo pipefail
dist=$(cd "$1" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
wheel=$(ls "$dist"/planetfall-*.whl)
sdist=$(ls "$dist"/planetfall-*.tar.gz)
version=${2:-$(basename "$wheel" | cut -d- -f2)}
shift; if [ $# -gt 0 ]; then shift; fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

tar xzf "$sdist" -C "$place"
for part in benchmarks tests docs tools page/src validation changelog.d CITATION.cff SECURITY.md LICENSE README.md; do
  [ -e "$place/planetfall-$version/$part" ] || { echo "The source distribution lacks $part" >&2; exit 1; }
done
grep -q "^version: $version\$" "$root/CITATION.cff" || { echo "CITATION.cff has another version than $version" >&2; exit 1; }

# Named Pythons; or those on the path, and those that pyenv keeps.
find_pythons() {
  for minor in 11 12 13 14; do
    for python in "python3.$minor" "$HOME"/.pyenv/versions/3.$minor.*/bin/python3; do
      if "$python" -c "import sys, venv; sys.exit(sys.version_info[:2] != (3, $minor))" >/dev/null 2>&1; then
        echo "$python"
        continue 2
      fi
    done
    echo "Note: no Python 3.$minor here, so the package was not tried with it" >&2
  done
}
if [ $# -gt 0 ]; then pythons=("$@"); else mapfile -t pythons < <(find_pythons); fi
cd "$place"
for python in "${pythons[@]}"; do
  rm -rf env run run.png
  "$python" -m venv env
  if ! env/bin/python -m pip --disable-pip-version-check install --quiet --only-binary :all: --require-hashes -r "$root/requirements.lock"; then
    echo "Note: the locked packages could not be installed for $("$python" --version), so the package was not tried with it" >&2
    continue
  fi
  if [ -z "${tried:-}" ]; then
    (cd "planetfall-$version" && ../env/bin/python -m hatchling build --target wheel --directory "$place/again") >built 2>&1 ||
      { cat built >&2; exit 1; }
    cmp "$place/again/$(basename "$wheel")" "$wheel" || { echo "The source distribution makes another wheel" >&2; exit 1; }
  fi
  env/bin/python -m pip --disable-pip-version-check install --quiet --no-deps "$wheel"
  env/bin/python -c "import planetfall; assert planetfall.__version__ == '$version', planetfall.__version__"
  env/bin/planetfall list >/dev/null
  env/bin/planetfall run free-top --set scenario.duration=0.1 --out run --no-figures >/dev/null
  [ -s run/trajectory.nc ] || { echo "$python: the run left no trajectory" >&2; exit 1; }
  MPLBACKEND=agg env/bin/python -c "import planetfall; planetfall.open('run').plot().figure.savefig('run.png')"
  [ -s run.png ] || { echo "$python: the run could not be plotted" >&2; exit 1; }
  echo "Tried with $("$python" --version)"
  tried=1
done
[ "${tried:-0}" = 1 ] || { echo "The package could be tried with no Python" >&2; exit 1; }
