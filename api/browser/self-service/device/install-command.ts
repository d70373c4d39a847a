const commands = {
  networkmanager: (file: string) =>
    `sudo tar -xf ${file} -C /etc/NetworkManager/system-connections && sudo nmcli connection reload`,
  iwd: (file: string) => `sudo tar -xf ${file} -C /var/lib/iwd`,
} as const;

/** Returns the command that installs an archive on Linux. The shell reads the file's name as one word. */
export const installCommand = (format: keyof typeof commands, fileName: string): string => commands[format](fileName);
