const commands = {
  networkmanager: (file: string) =>
    `sudo tar -xf ${file} -C /etc/NetworkManager/system-connections && sudo nmcli connection reload`,
  iwd: (file: string) => `sudo tar -xf ${file} -C /var/lib/iwd`,
} as const;

/** Returns the command that installs an archive on Linux. The file's name is one word to the shell. */
export const installCommand = (format: keyof typeof commands, fileName: string): string => commands[format](fileName);
