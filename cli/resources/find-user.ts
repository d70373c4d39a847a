import { foldId } from "../../domain/people/pairwise-id.ts";
import { withoutEnds } from "../../domain/text.ts";
import { CommandError } from "../../terminal/failure.ts";
import { answerOf, type ServiceClient } from "../service/service-client.ts";
import type { User } from "./user.ts";

/** The service returns at most this many rows per page. */
const pageMax = 1_000;

/**
 * Finds one user by userID, or by pairwiseID or e-mail address in any letter case; of several spellings of a
 * pairwiseID, the exact one wins. Digits are always a userID. Throws if no user matches, or more than one.
 */
export async function findUser({ api }: ServiceClient, written: string): Promise<User> {
  const given = withoutEnds(written);
  if (/^[0-9]+$/.test(given)) {
    return (await answerOf(api.GET("/api/user/{userID}", { params: { path: { userID: given } } }))).data;
  }
  /** Returns all users that match. A search can match many users whose id only contains the given text. */
  const listAll = async (query: { search: string } | { filter: { email: string } }): Promise<User[]> => {
    const all: User[] = [];
    for (;;) {
      const page = { limit: pageMax, offset: all.length };
      const { data } = await answerOf(api.GET("/api/user", { params: { query: { ...query, ...page } } }));
      all.push(...data);
      if (data.length < pageMax) return all;
    }
  };
  const people = (await Promise.all([listAll({ search: given }), listAll({ filter: { email: given } })])).flat();
  const folded = foldId(given);
  const spelled = people.filter(({ pairwiseID }) => pairwiseID !== "" && foldId(pairwiseID) === folded);
  const exact = spelled.filter(({ pairwiseID }) => pairwiseID === given);
  const matching = [
    ...(exact.length > 0 ? exact : spelled),
    ...people.filter(({ email }) => email.toLowerCase() === given.toLowerCase()),
  ];
  const [found, ...others] = new Map(matching.map((user) => [user.userID, user])).values();
  if (found === undefined)
    throw new CommandError("user_not_found", `Nobody has the pairwiseID or e-mail address ${given}.`);
  if (others.length > 0) {
    const ids = [found, ...others].map(({ userID }) => userID).join(", ");
    throw new CommandError("user_ambiguous", `${given} is more than one user: ${ids}. Name one by its userID.`);
  }
  return found;
}
