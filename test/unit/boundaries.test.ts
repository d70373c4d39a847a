import { cruise, type ICruiseResult, type IViolation } from "dependency-cruiser";
import extractDepcruiseOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { beforeAll, expect, test } from "vitest";

// A small tree in which the worst that can happen to the boundaries has happened.
let violations: IViolation[];

beforeAll(async () => {
  const options = await extractDepcruiseOptions("./.dependency-cruiser.cjs");
  const { output } = await cruise(["api", "db", "domain", "worker"], {
    ...options,
    baseDir: "test/fixtures/boundaries",
  });
  violations = (output as ICruiseResult).summary.violations;
});

const ofRule = (name: string): IViolation[] => violations.filter(({ rule }) => rule.name === name);

test("the api reaching the worker through db is refused, and the whole chain is shown", () => {
  const [found, ...others] = ofRule("no-way-to-the-worker");

  expect(others).toEqual([]);
  expect(found).toMatchObject({ from: "api/get-profile.ts", to: "worker/signer.ts", rule: { severity: "error" } });
  expect(found?.via?.map(({ name }) => name)).toEqual(["db/certificates.ts", "worker/signer.ts"]);
});

test("an import that its folder's list does not have is refused", () => {
  expect(ofRule("db-imports")).toMatchObject([{ from: "db/certificates.ts", to: "worker/signer.ts" }]);
});

test("a module of Node's in domain is refused", () => {
  expect(ofRule("domain-without-node")).toMatchObject([{ from: "domain/realm.ts", to: "os" }]);
});

test("nothing else is found, so that each rule is seen to catch what it is for", () => {
  expect(violations).toHaveLength(3);
});
