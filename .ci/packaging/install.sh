#!/bin/sh
# Installs spate, its manual page and its completions:
#
#     ./install.sh [PREFIX]                into PREFIX, /usr/local unless given
#     ./install.sh --uninstall [PREFIX]    removes what was installed there, and nothing else
#
# With DESTDIR, everything is put below that folder instead, as if it were the root of the file system.
set -eu
umask 022

fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }
usage() { printf 'usage: install.sh [--uninstall] [PREFIX]\n' >&2; exit 2; }

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
uninstalls=false
case "${1:-}" in
    --uninstall) uninstalls=true; shift ;;
    -h | --help) sed -n '2,7s/^#[ ]\{0,1\}//p' "$0"; exit ;;
    -*) usage ;;
esac
[ $# -le 1 ] || usage
prefix=${1:-/usr/local}
case "$prefix" in
    /*) ;;
    *) prefix=$PWD/$prefix ;;
esac
place=${DESTDIR:-}${prefix%/}
# The files and folders that an installation made, relative to the prefix.
list=share/spate/installed

files='bin/spate
share/man/man1/spate.1
share/bash-completion/completions/spate
share/zsh/site-functions/_spate
share/fish/vendor_completions.d/spate.fish
share/doc/spate/LICENSE
share/doc/spate/README.md'

if $uninstalls; then
    [ -f "$place/$list" ] || fail "this script has installed nothing in $place"
    # Folders come after what they contain.
    names=$(LC_ALL=C sort -r "$place/$list")
    while IFS= read -r name; do
        case "/$name/" in
            //* | */../*) fail "$place/$list names $name, which is outside of $place" ;;
        esac
        # The list stays until all else is removed, so that this can be done again.
        if [ "$name" != $list ] && { [ -L "$place/$name" ] || [ ! -d "$place/$name" ]; }; then rm -f "$place/$name"; fi
    done <<EOF
$names
EOF
    rm -f "$place/$list"
    while IFS= read -r name; do
        # Others may have put files there.
        if [ "$name" = . ]; then name=; fi
        if [ -d "$place/$name" ]; then rmdir "$place${name:+/$name}" 2>/dev/null || true; fi
    done <<EOF
$names
EOF
    echo "spate is removed from $place."
    exit
fi

made=
# Makes the folder of a file, and notes what it makes.
make_folder() {
    if [ "$1" = . ] || [ -d "$place/$1" ]; then return 0; fi
    make_folder "$(dirname "$1")"
    mkdir "$place/$1"
    made="$made$1
"
}

if [ ! -d "$place" ]; then
    mkdir -p "$place"
    made='.
'
fi
[ -w "$place" ] || fail "you may not write to $place; become root, or give another folder"
for name in $files $list; do make_folder "$(dirname "$name")"; done
# Written first, so that an installation that breaks off can be removed.
earlier=
if [ -f "$place/$list" ]; then earlier=$(cat "$place/$list"); fi
printf '%s\n' "$earlier" "$files" "$list" "$made" | sed '/^$/d' | LC_ALL=C sort -u >"$place/$list.new"
mv "$place/$list.new" "$place/$list"
for name in $files; do
    case "$name" in
        share/doc/*) from=${name##*/} ;;
        *) from=$name ;;
    esac
    # A rename, so that a running program is replaced, too.
    cp "$here/$from" "$place/$name.new"
    case "$name" in
        bin/*) chmod 755 "$place/$name.new" ;;
        *) chmod 644 "$place/$name.new" ;;
    esac
    mv "$place/$name.new" "$place/$name"
done
echo "spate is installed in $place."

if [ -n "${DESTDIR:-}" ]; then exit; fi
"$place/bin/spate" --version >/dev/null || fail 'it does not start here. It needs libcurl.so.4 (libcurl4 in Debian and
Ubuntu), and a C library at least as new as on the machine where it was built.'
