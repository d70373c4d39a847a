/** The exit codes of programs. */
export const exitCodes = {
  done: 0,
  error: 1,
  usage: 2,
  /** Some of the work was done, some was not. */
  partly: 3,
  notSignedIn: 4,
  /** A user interrupted the command by Ctrl-C; work in the service continues. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
