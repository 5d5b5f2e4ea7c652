#!/usr/bin/env bash
# A crawl of a list into a folder with today's date, which asks only for what has changed since the newest finished one, and then a table
# of what changed. An interrupted crawl of today is continued. The last 7 nights are kept. Needs the tools of GNU, and usp on the PATH.
#
#     nightly.sh sites.txt
set -euo pipefail

list=$1
today=$(date -u +%F)
# The nights whose crawl was finished.
previous=$({ grep -ls '"state": *"done"' 20??-??-??/crawl.json || true; } | { grep -v "^$today/" || true; } | sort | tail -n 1)
previous=${previous%/crawl.json}
flags=()
if [ -n "$previous" ]; then flags=(--previous "$previous"); fi

usp crawl "$list" -o "$today" --archives --log-format json "${flags[@]}"
if [ -n "$previous" ]; then usp diff "$previous" "$today" -f parquet -o "$today-changes.parquet"; fi
find . -maxdepth 1 -name '20??-??-??*' -mtime +7 -exec rm -r {} +
