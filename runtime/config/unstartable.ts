/** The process cannot run until the operator has changed something: a restart does not help. */
export class Unstartable extends Error {
  override readonly name: string = "Unstartable";
}

/**
 * The exit code of a server process that is {@link Unstartable} (`EX_CONFIG` of sysexits.h), so its supervisor does not
 * restart it.
 */
export const unstartableExitCode = 78;
