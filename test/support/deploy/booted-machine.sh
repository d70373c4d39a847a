#!/bin/bash
# booted-machine.sh DIRECTORY SCRIPT NODE: runs a script of DIRECTORY on a machine that systemd has booted. It has namespaces and
# a group of processes of its own, and this machine's files, whose changes are kept in memory alone. DIRECTORY is its /mnt.
# Prints what the script prints, and ends as it does; what systemd prints is in DIRECTORY/console.
# booted-machine.sh --can: ends with 0 if this machine allows that.
set -eu
group=$(findmnt --noheadings --output TARGET --types cgroup2 | head -n 1)/realmpass-machine-$$
spaces="--mount --net --pid --uts --ipc --cgroup --fork --kill-child"
mkdir "$group"
end() {
  echo 1 >"$group/cgroup.kill"
  # The kernel takes a moment to end what has been killed.
  for left in $(seq 50); do
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null && break
    sleep 0.1
  done
}
trap end EXIT
trap 'exit 143' TERM INT HUP
if [ "$1" = --can ]; then
  unshare $spaces mount --make-rprivate /
  exit
fi

export DIRECTORY=$1 SCRIPT=$(basename "$2") NODE=$3
rm -f "$DIRECTORY/status"
# systemd wants a terminal for its console.
script --quiet --return --flush --command "
  echo \$\$ >$group/cgroup.procs
  exec unshare $spaces bash -eu $(dirname "$0")/boot.sh" "$DIRECTORY/console" </dev/null >/dev/null &
wait $! || true
cat "$DIRECTORY/output"
exit "$(cat "$DIRECTORY/status")"
