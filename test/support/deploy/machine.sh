#!/bin/bash
# machine.sh DIRECTORY SCRIPT: runs a script on what looks like a machine of its own: what it changes below /etc, /opt, /var
# and /usr/local is in DIRECTORY, its network and its processes are its own, and all of these end with it.
set -eu
export DIRECTORY=$1 SCRIPT=$2 NODE=$3 UNITS=$4
exec unshare --mount --net --pid --fork --kill-child --mount-proc bash -eu -c '
  mount --make-rprivate /
  for name in etc opt var usr/local usr/bin; do
    mkdir -p "$DIRECTORY/$name/upper" "$DIRECTORY/$name/work"
    mount -t overlay overlay -o "lowerdir=/$name,upperdir=$DIRECTORY/$name/upper,workdir=$DIRECTORY/$name/work" "/$name"
  done
  mount -t tmpfs tmpfs /run
  mkdir -p /run/postgresql /run/redis /run/lock
  chown postgres:postgres /run/postgresql
  chown redis:redis /run/redis
  ip link set lo up
  [ "$NODE" = /usr/bin/node ] || ln -sf "$NODE" /usr/bin/node
  for name in systemctl systemd-run; do
    rm -f "/usr/bin/$name"
    printf "#!/bin/sh\nexec %s %s %s \"\$@\"\n" "$NODE" "$UNITS" "$name" >"/usr/bin/$name"
    chmod +x "/usr/bin/$name"
  done
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 bash "$SCRIPT"'
