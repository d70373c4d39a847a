import { expect, test } from "vitest";
import { variables, type Variable } from "../../runtime/config/variables.ts";

const groups = [
  ["all", "Every process"],
  ["start", "npm start"],
  ["api", "The api"],
  ["worker", "The worker"],
  ["responder", "The responder"],
  ["operator", "Operator commands"],
] as const;

/** Values that depend on the machine, so one file for all machines cannot contain them. */
const computed: Partial<Record<Variable, string>> = {
  REALMPASS_SIGNING_THREADS: "as many as there are processors, 4 at most",
};

function expectedText(): string {
  const sections = groups.map(([used, title]) =>
    [`# ${title}`, ...namesOf(used).map((name) => `\n${described(name)}`), ""].join("\n"),
  );
  return `${preface}\n${sections.join("\n")}`;
}

const preface = `# Every variable there is, with its default. Nothing reads this file by itself: give the variables to the processes.
# Any of them may be given as NAME_FILE, the name of a file that holds the value. An empty value counts as not set.
`;

const namesOf = (used: (typeof groups)[number][0]): Variable[] =>
  (Object.keys(variables) as Variable[]).filter((name) => variables[name].used === used);

function described(name: Variable): string {
  const fallback = variables[name].schema.parse(undefined);
  const derived = computed[name];
  const about = derived === undefined ? variables[name].about : `${variables[name].about} Not set: ${derived}.`;
  return `# ${about}\n# ${name}=${derived === undefined ? (fallback ?? "") : ""}`;
}

// After a change, run: npx vitest run --project unit test/unit/env-example.test.ts --update
test("the example environment names every variable, its purpose and its default", async () => {
  expect(groups.flatMap(([used]) => namesOf(used)).sort()).toEqual(Object.keys(variables).sort());
  await expect(expectedText()).toMatchFileSnapshot("../../.env.example");
});
