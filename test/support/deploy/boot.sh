# Runs in the namespaces of the machine of booted-machine.sh: makes its file systems, and becomes its first process.
mount --make-rprivate /
memory=$DIRECTORY/memory
root=$memory/root
mkdir -p "$memory"
mount -t tmpfs tmpfs "$memory"
mkdir "$memory/upper" "$memory/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$memory/upper,workdir=$memory/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
touch "$root/dev/console"
mount --bind "$(readlink /proc/self/fd/0)" "$root/dev/console"
mount --bind "$DIRECTORY" "$root/mnt"
[ "$NODE" = /usr/bin/node ] || ln -sf "$NODE" "$root/usr/bin/node"

# Of the services of this machine none starts by itself, and none looks for hardware.
units=$root/etc/systemd/system
rm -rf "$units"/*.wants
: >"$root/etc/machine-id"
for unit in systemd-udevd.service systemd-udev-trigger.service systemd-logind.service; do
  ln -sf /dev/null "$units/$unit"
done
cat >"$units/machine.service" <<UNIT
[Unit]
Wants=dbus.socket
After=dbus.socket

[Service]
Type=oneshot
Environment=HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ExecStart=/bin/bash -c 'bash /mnt/$SCRIPT >/mnt/output 2>&1; echo \$\$? >/mnt/status; systemctl poweroff'
UNIT

cd "$root"
mkdir -p mnt-of-before
pivot_root . mnt-of-before
umount -l /mnt-of-before
rmdir /mnt-of-before
mount --make-rshared /
ip link set lo up
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --unit=machine.service
