#!/bin/sh
# The first process of the namespaces: the kernel ends all others with it, and it collects those whose parents ended.
# usage: first.sh FOLDER COMMAND...
folder=$1
shift
# Its number as the rest of the machine knows it: /proc is still that of the rest.
read -r pid rest < /proc/self/stat
mount -t proc proc /proc || exit 1
ip link set lo up || exit 1
echo "$pid" > "$folder/init.pid.draft"
mv "$folder/init.pid.draft" "$folder/init.pid"
# The shell takes the standard input away from what runs in the background.
exec 4<&0
"$@" <&4 4<&- &
wait $!
