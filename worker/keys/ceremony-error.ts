/** A CA that cannot be made as asked. */
export class CeremonyError extends Error {
  override readonly name = "CeremonyError";
}
