import type { Db } from "../../../db/client.ts";
import * as people from "../../../db/queries/people/people.ts";
import type { Context } from "../../context/context.ts";
import { passes, warns, type Check } from "../check.ts";

const namedMax = 5;

/** Reports people of a realm whose ids differ only in spelling, created before such ids were refused. */
export async function checkSpellings(db: Db, context: Context): Promise<Check[]> {
  const realms = await context.realms();
  return Promise.all(
    realms.map(async ({ id, name: realm }) => {
      const name = `spellings ${realm}`;
      const { first, count } = await people.findTwins(db, { realmId: id, max: namedMax });
      if (count === 0) return passes(name, "no person's id exists in a second spelling");
      const named = first.map((twins) =>
        twins.people.map(({ pairwiseID, userID }) => `${pairwiseID} (userID ${userID})`).join(" and "),
      );
      return warns(
        name,
        `${count} ${count === 1 ? "id is" : "ids are"} there in several spellings: ${[...named, ...(count > namedMax ? ["…"] : [])].join("; ")}`,
        "Each is a separate person, found only by its exact spelling; a third spelling finds nobody. Offboard unused ones, in the console or by userID.",
      );
    }),
  );
}
