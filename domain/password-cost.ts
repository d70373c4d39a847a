/**
 * The cost of hashing a password with argon2id: 19 MiB, two passes, one lane, the first choice of the OWASP password
 * storage cheat sheet. The stand-in hash for an unknown user has the same cost; otherwise the time of a refusal would
 * show who has an account.
 */
export const passwordCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
