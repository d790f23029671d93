#!/bin/sh
# Runs a command in process, mount and network namespaces of its own, and cleans up when it has ended, however it ended.
# usage: enclosure.sh NAME FOLDER REMOVED COMMAND...
#   NAME     of the control group of everything in there
#   FOLDER   the number of the first process is written to FOLDER/init.pid
#   REMOVED  a folder to be removed at the end, or nothing
# The kernel ends every process in there with the first one, and with the last one it removes the mounts, bridges, links, routes and
# rules that were made in there. Only control groups and files are left, and this process removes those.
name=$1 folder=$2 removed=$3
shift 3
# Handled, not ignored: what is ignored stays so in the programs.
trap : INT TERM HUP
unshare --pid --fork --kill-child --mount --net -- sh "$(dirname "$0")/first.sh" "$folder" "$@"
status=$?
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  groups=$(find /sys/fs/cgroup -maxdepth 2 -type d -name "$name")
  [ -n "$groups" ] || break
  for group in $groups; do find "$group" -depth -type d -exec rmdir {} + 2> /dev/null; done
  sleep 0.2
done
[ -z "$removed" ] || rm -rf "$removed"
exit "$status"
