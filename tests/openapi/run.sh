#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Holds a kbase that runs against its interface description with tools from PyPI and npm:
#
#     run.sh WORK_FOLDER URL KEY TIGHT_KEY
#
# WORK_FOLDER gets the tools and the generated clients, and may be kept for the next time. URL is the base URL. KEY may
# do everything, as often as it likes, and so may callers without a key; TIGHT_KEY is of a plan with few requests a
# minute. with_kbase.py starts such a kbase. Exit code 77: the tools are not to be had here.
set -eu

[ $# -eq 4 ] || { echo "usage: run.sh WORK_FOLDER URL KEY TIGHT_KEY" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
document=$here/../../adapters/http/openapi.json
mkdir -p "$1"
work=$(cd "$1" && pwd)
url=$2 key=$3 tight_key=$4
python=${PYTHON:-/usr/bin/python3}

skip() { echo "skipped: $1"; exit 77; }
say() { echo "--- $1"; }

[ -x "$python" ] || skip "there is no $python"
command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are not installed"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || skip "node is older than 18"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "python is older than 3.11"

# What is there from another time is good as long as the manifest is the same.
if ! cmp -s "$here/requirements.txt" "$work/venv/requirements.txt"; then
  say "getting tools from PyPI"
  rm -rf "$work/venv"
  "$python" -m venv "$work/venv" >/dev/null 2>&1 || skip "python3-venv is not installed"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" \
    || skip "PyPI did not give the tools of requirements.txt"
  cp "$here/requirements.txt" "$work/venv/"
fi
if ! cmp -s "$here/package.json" "$work/typescript/node_modules/package.json"; then
  say "getting tools from npm"
  rm -rf "$work/typescript"
  mkdir "$work/typescript"
  cp "$here/package.json" "$work/typescript/"
  (cd "$work/typescript" && npm install --no-package-lock --no-audit --no-fund --loglevel=error) \
    || skip "npm did not give the tools of package.json"
  cp "$here/package.json" "$work/typescript/node_modules/"
fi
PATH=$work/venv/bin:$PATH

say "the document against the schema of OpenAPI 3.1"
openapi-spec-validator --schema 3.1 "$document"

say "a Python client"
rm -rf "$work/python"
mkdir "$work/python"
cp "$here"/python/* "$work/python/"
cd "$work/python"
openapi-python-client generate --path "$document" --output-path kbase_client --meta none --fail-on-warning
mypy --config-file mypy.ini --no-error-summary client_test.py
python client_test.py "$url" "$key" "$tight_key"

say "a TypeScript client"
cd "$work/typescript"
cp "$here"/typescript/* .
node_modules/.bin/openapi-typescript "$document" --output schema.d.ts
node_modules/.bin/tsc --project .
node built/client_test.js "$url" "$key" "$tight_key"

# Every check, every phase, good and bad data; the seed makes every run the same.
explore() {
  st run "$document" --url "$url" --checks all --phases examples,coverage,fuzzing,stateful --mode all \
    --max-examples 30 --seed 20261123 --generation-database none --continue-on-failure --request-timeout 30 \
    --no-color "$@" || failed=1
}
cd "$work"
failed=0
say "schemathesis with a key"
explore --header "Authorization: Bearer $key"
say "schemathesis without a key"
explore
exit $failed
