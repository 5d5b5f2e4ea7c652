"""One pass of the Python library over a site, by its documented functions; prints what it found as JSON.

    python3 python_usp.py timed|checked|list HOMEPAGE
    python3 python_usp.py version
"""

import hashlib
import json
import logging
import resource
import sys
import time
from importlib.metadata import version

from usp.tree import sitemap_tree_for_homepage


def values_of(page):
    date = page.last_modified
    frequency = page.change_frequency
    return (
        page.url,
        0 if date is None else int(date.timestamp()),
        round(float(page.priority) * 10),
        "" if frequency is None else str(getattr(frequency, "value", frequency)).lower(),
    )


def timed(homepage):
    cpu_start = time.process_time()
    start = time.perf_counter()
    count = 0
    total = 0
    for page in sitemap_tree_for_homepage(homepage).all_pages():
        url, seconds, tenths, frequency = values_of(page)
        count += 1
        total += len(url) + seconds + tenths + len(frequency)
    return {
        "seconds": time.perf_counter() - start,
        "cpuSeconds": time.process_time() - cpu_start,
        "peakBytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "count": count,
        "sum": total,
    }


def checked(homepage):
    """The same checksum as in measure/readers.js."""
    count = 0
    checksum = 0
    for page in sitemap_tree_for_homepage(homepage).all_pages():
        url, seconds, tenths, frequency = values_of(page)
        line = f"{url}\t{seconds}\t{tenths}\t{frequency}\n"
        count += 1
        checksum += int.from_bytes(hashlib.sha256(line.encode()).digest()[:8], "big")
    return {"seconds": 0, "count": count, "checksum": f"{checksum % 2**64:016x}"}


logging.disable(logging.CRITICAL)
mode, *arguments = sys.argv[1:]
if mode == "version":
    print(version("ultimate-sitemap-parser"))
elif mode == "list":
    for each in sitemap_tree_for_homepage(*arguments).all_pages():
        print(each.url)
else:
    print(json.dumps({"timed": timed, "checked": checked}[mode](*arguments)))
