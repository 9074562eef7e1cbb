#!/bin/bash
# How far all machines are together.
#
#   summary.sh LIST FOLDER            a folder that they share
#   summary.sh LIST STATUS.jsonl...   local disks: what `spate status --json -d FOLDER` printed on each machine
#
# Exits with 0 if each URL of the list has its file, else with 1. A URL that failed for good, or that no task has come
# to yet, has none.
set -euo pipefail

if [ $# -lt 2 ]; then
    echo 'usage: summary.sh LIST FOLDER | summary.sh LIST STATUS.jsonl...' >&2
    exit 2
fi
list=$1
shift

statuses() {
    for place in "$@"; do
        if [ -d "$place" ]; then spate status --json --directory "$place"; else cat -- "$place"; fi
    done
}

statuses "$@" | awk -v list="$list" '
    function value(name,    text) {
        if (!match($0, "\"" name "\":(\"[^\"]*\"|[0-9]+)")) return ""
        text = substr($0, RSTART, RLENGTH)
        sub("\"" name "\":", "", text)
        gsub("\"", "", text)
        return text
    }
    BEGIN {
        # As spate reads it: a URL first in its line, comments, and the indented options of aria2.
        while ((status = (getline line < list)) > 0) {
            if (line ~ /^[ \t]*[a-z0-9-]+=/ || line !~ /[^ \t\r]/ || line ~ /^[ \t]*#/) continue
            split(line, words, /[ \t\r]+/)
            url = words[1] == "" ? words[2] : words[1]
            if (!(url in wanted)) { wanted[url] = 1; count++ }
        }
        if (status < 0) { print "summary.sh: " list " cannot be read" > "/dev/stderr"; failed = 2; exit }
    }
    {
        # A URL may be on two machines after the number of parts has changed.
        url = value("url")
        if (state[url] != "finished") { state[url] = value("state"); bytes[url] = value("received") }
    }
    END {
        if (failed) exit failed
        for (url in state) {
            if (state[url] == "finished") finished++; else partial++
            total += bytes[url]
        }
        missing = count - finished - partial
        if (missing < 0) missing = 0
        printf "%d URLs: %d finished, %d partial, %d missing; %.1f MB\n", count, finished, partial, missing, total / 1e6
        exit finished < count
    }
'
