/** Thrown when the requested CA cannot be made. */
export class CeremonyError extends Error {
  override readonly name = "CeremonyError";
}
