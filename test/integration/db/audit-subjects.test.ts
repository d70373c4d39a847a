import { expect, test } from "vitest";
import { sql } from "../../../db/sql.ts";
import { useDatabase } from "../../support/run/database.ts";

const database = useDatabase();

const subjectsOf = async (properties: object): Promise<string[]> => {
  const rows = await database.owner.query<{ subjects: string[] }>(
    sql`select audit_subjects(${JSON.stringify(properties)}::jsonb) as subjects`,
  );
  return rows[0]?.subjects.sort() ?? [];
};

test.each<[properties: object, subjects: string[]]>([
  [{ userID: "5", method: "local" }, ["user:5"]],
  [{ serial: "47", user: "5" }, ["profile:47", "user:5"]],
  [{ userID: "5", serials: ["1", "2"] }, ["profile:1", "profile:2", "user:5"]],
  [{ guestAccountID: "8" }, ["guest:8"]],
  [{ serial: "47", guestAccount: "8", name: "x" }, ["guest:8", "profile:47"]],
  [{ clientID: "console-1", userID: "5" }, ["application:console-1", "user:5"]],
  [{ job: "b0c5", serials: "no list", user: null }, []],
  [{}, []],
])("an entry with %j is about %j", async (properties, subjects) => {
  expect(await subjectsOf(properties)).toEqual(subjects);
});
