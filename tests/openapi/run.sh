#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks a running kbase against its OpenAPI description with tools from PyPI and npm:
#
#     run.sh tools FOLDER                           installs the tools, which the other commands need
#     run.sh clients FOLDER URL KEY TIGHT_KEY WRITE_KEY
#                                                   generates, type-checks and runs a Python and a TypeScript client
#     run.sh explore FOLDER URL [KEY]               sends generated valid and invalid requests
#
# FOLDER is a cache of the tools. URL is the base URL. KEY has all scopes and no limits, and requests without a key have
# no limits either; TIGHT_KEY has a plan with few requests a minute, WRITE_KEY the scope "write". with_kbase.py starts
# such a kbase. Exit code 77: the tools cannot be installed here.
set -eu

usage() { sed -n 's/^#     //p' "$0" >&2; exit 2; }
skip() { echo "skipped: $1"; exit 77; }
log_step() { echo "--- $1"; }

[ $# -ge 2 ] || usage
step=$1
here=$(cd "$(dirname "$0")" && pwd)
document=$here/../../adapters/http/openapi.json
mkdir -p "$2"
work=$(cd "$2" && pwd)
shift 2
python=${PYTHON:-/usr/bin/python3}

# Cached tools are used as long as the manifest is unchanged.
has_python_tools() { cmp -s "$here/requirements.txt" "$work/venv/requirements.txt"; }
has_node_tools() { cmp -s "$here/package.json" "$work/typescript/node_modules/package.json"; }

get_python_tools() {
  [ -x "$python" ] || skip "$python is missing"
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "python is older than 3.11"
  log_step "installing tools from PyPI"
  rm -rf "$work/venv"
  "$python" -m venv "$work/venv" >/dev/null 2>&1 || skip "python3-venv is not installed"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 -r "$here/requirements.txt" \
    || skip "PyPI could not provide the tools of requirements.txt"
  cp "$here/requirements.txt" "$work/venv/"
}

get_node_tools() {
  command -v node >/dev/null && command -v npm >/dev/null || skip "node and npm are not installed"
  [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || skip "node is older than 18"
  log_step "installing tools from npm"
  rm -rf "$work/typescript"
  mkdir "$work/typescript"
  cp "$here/package.json" "$work/typescript/"
  (cd "$work/typescript" && npm install --no-package-lock --no-audit --no-fund --loglevel=error --fetch-retries=1) \
    || skip "npm could not provide the tools of package.json"
  cp "$here/package.json" "$work/typescript/node_modules/"
}

check_document() {
  log_step "validating the document with the OpenAPI 3.1 schema"
  openapi-spec-validator --schema 3.1 "$document"
}

use_python_client() {
  log_step "testing a generated Python client"
  rm -rf "$work/python"
  mkdir "$work/python"
  cp "$here"/python/* "$work/python/"
  cd "$work/python"
  openapi-python-client generate --path "$document" --output-path kbase_client --meta none --fail-on-warning \
    --config config.yaml
  mypy --config-file mypy.ini --no-error-summary client_test.py
  python client_test.py "$@"
}

use_typescript_client() {
  log_step "testing a generated TypeScript client"
  cd "$work/typescript"
  cp "$here"/typescript/* .
  node_modules/.bin/openapi-typescript "$document" --output schema.d.ts
  node_modules/.bin/tsc --project .
  node built/client_test.js "$@"
}

# Prints the document without the parameter `fields`: partial rows lack members that their schema requires.
without_fields() {
  "$python" - "$document" <<'PYTHON'
import json, sys
root = json.load(open(sys.argv[1], encoding="utf-8"))
for path in root["paths"].values():
    for operation in path.values():
        if "parameters" in operation:
            operation["parameters"] = [each for each in operation["parameters"] if each.get("name") != "fields"]
json.dump(root, sys.stdout)
PYTHON
}

# explore URL [OPTION...]: all checks and phases, valid and invalid data, fixed seed.
explore() {
  url=$1
  shift
  cd "$work"
  explored=explored-$$.json
  without_fields >"$explored"
  trap 'rm -f "$work/$explored"' EXIT
  # The bodies of these have rules that no schema expresses, or are not JSON; document_test.py sends them.
  st run "$explored" --url "$url" --exclude-path /import --exclude-path-regex "^/(accounts|sessions)" --checks all --phases examples,coverage,fuzzing,stateful --mode all \
    --max-examples 200 --seed 20261123 --generation-database none --continue-on-failure --request-timeout 30 \
    --no-color "$@"
}

if [ "$step" = tools ]; then
  has_python_tools || get_python_tools
  has_node_tools || get_node_tools
  exit 0
fi
has_python_tools || skip "the tools from PyPI are not installed; see the output of run.sh tools"
PATH=$work/venv/bin:$PATH
case $step-$# in
  clients-4)
    has_node_tools || skip "the tools from npm are not installed; see the output of run.sh tools"
    check_document
    use_python_client "$@"
    use_typescript_client "$@"
    ;;
  explore-1) explore "$1" ;;
  explore-2) explore "$1" --header "Authorization: Bearer $2" ;;
  *) usage ;;
esac
