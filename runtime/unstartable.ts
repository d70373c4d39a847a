/** A process cannot run until a person has changed something: starting it again does not help. */
export class Unstartable extends Error {
  override readonly name: string = "Unstartable";
}

/** What a server process ends with then (`EX_CONFIG` of sysexits.h), so that what supervises it does not try again. */
export const unstartableExitCode = 78;
