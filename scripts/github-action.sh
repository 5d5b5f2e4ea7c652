#!/usr/bin/env bash
# The work of action.yml: reads the sitemaps once, and writes annotations to stdout, SARIF and a report to files, and a
# summary to the page of the job. Exits as `usp check` does.
#
# Variables: URL or FILES, FAIL_ON, BASELINE, REQUEST_PAGES, CONFIG, HEADERS, USER_AGENT, and those of the runner. USP_PACKAGE is another
# package to install. A pull request may add files of any name: they come after `--`, so that none of them is an option.
set -uo pipefail

folder=$(mktemp -d "$RUNNER_TEMP/usp-XXXXXX")
version=$(node -p 'require(process.argv[1]).version' "$GITHUB_ACTION_PATH/package.json")
npm install --silent --no-audit --no-fund --prefix "$folder" "${USP_PACKAGE:-ultimate-sitemap-parser@$version}" || exit 2
usp() { node "$folder/node_modules/ultimate-sitemap-parser/dist/cli/main.js" "$@"; }

if { [ -n "${URL:-}" ] && [ -n "${FILES:-}" ]; } || [ -z "${URL:-}${FILES:-}" ]; then
  echo '::error::Set one of the inputs "url" and "files".'
  exit 2
fi

network=()
if [ -n "${USER_AGENT:-}" ]; then network+=("--user-agent=$USER_AGENT"); fi
while IFS= read -r header; do
  if [ -n "$header" ]; then network+=("--header=$header"); fi
done <<<"${HEADERS:-}"

inputs=()
if [ -n "${URL:-}" ]; then
  # One reading serves the check and the report.
  inputs=("$folder/site.warc.gz")
  usp ls ${network[@]+"${network[@]}"} --save "${inputs[0]}" -f pages -o /dev/null -- "$URL"
  code=$?
  if [ ! -s "${inputs[0]}" ]; then
    echo "::error::$URL could not be read: see the lines above."
    exit "$code"
  fi
else
  shopt -s globstar nullglob
  while IFS= read -r pattern; do
    if [ -z "$pattern" ]; then continue; fi
    # Word splitting is off, so that only the pattern is expanded.
    IFS='' found=($pattern)
    if [ ${#found[@]} = 0 ]; then
      echo "::error::No file matches $pattern."
      exit 2
    fi
    # A file may be called "-", which is stdin.
    for name in "${found[@]}"; do
      case $name in -*) inputs+=("./$name") ;; *) inputs+=("$name") ;; esac
    done
  done <<<"$FILES"
fi

config=()
if [ -n "${CONFIG:-}" ]; then config=("--config=$CONFIG"); fi
flags=("--fail-on=${FAIL_ON:-error}" ${config[@]+"${config[@]}"} ${network[@]+"${network[@]}"})
if [ -n "${BASELINE:-}" ]; then flags+=("--baseline=$BASELINE"); fi
if [ -n "${REQUEST_PAGES:-}" ]; then flags+=("--request-pages=$REQUEST_PAGES"); fi

usp check "${flags[@]}" -f github --also "sarif=$folder/sitemaps.sarif" --also "markdown=$folder/summary.md" -- "${inputs[@]}"
status=$?
if [ -s "$folder/summary.md" ]; then cat "$folder/summary.md" >>"$GITHUB_STEP_SUMMARY"; fi
if [ -s "$folder/sitemaps.sarif" ]; then echo "sarif=$folder/sitemaps.sarif" >>"$GITHUB_OUTPUT"; fi
if usp report ${config[@]+"${config[@]}"} --fail-on=never -q -o "$folder/sitemap-report.html" -- "${inputs[@]}"; then
  echo "report=$folder/sitemap-report.html" >>"$GITHUB_OUTPUT"
fi
exit "$status"
