#!/usr/bin/env bash
# A crawl of a list into a folder with today's date, which asks only for what has changed since the newest one, and then a table of what
# changed. An interrupted crawl goes on where it was. The folders of the last 7 nights are kept.
#
#     nightly.sh sites.txt
set -euo pipefail

list=$1
today=$(date -u +%F)
previous=$(find . -maxdepth 1 -type d -name '20??-??-??' ! -name "$today" | sort | tail -n 1)
flags=()
if [ -n "$previous" ]; then flags=(--previous "$previous"); fi

usp crawl "$list" -o "$today" --archives --log-format json "${flags[@]}"
if [ -n "$previous" ]; then usp diff "$previous" "$today" -q -f parquet -o "$today-changes.parquet"; fi
find . -maxdepth 1 -type d -name '20??-??-??' | sort | head -n -7 | xargs -r rm -r
