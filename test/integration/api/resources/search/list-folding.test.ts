import { beforeAll, expect, test } from "vitest";
import { givenJob } from "../../../../support/given/bulk-jobs.ts";
import { useApi, type Caller } from "../../../../support/service/api.ts";

const api = useApi();
const { as, given } = api;

const name = "Müller-Weiß";
const searches = ["müller-weiß", "MÜLLER-WEISS", "mueller-weiß", "mu\u0308ller", "WEISS"];
let service: Caller;
let jobId: string;

beforeAll(async () => {
  const realmId = await given.realm();
  service = as.service({ realmId });
  for (const each of [name, "Miller-Weis"]) {
    await given.application({ realmId, name: each });
    await given.guestAccount({ realmId, name: each });
    await given.profile({ realmId }, { kind: "infrastructure", name: each });
  }
  const rows = [{ pairwiseId: name }, { pairwiseId: "Miller-Weis" }];
  jobId = await givenJob(api.database.owner, { realmId, kind: "offboarding", state: "ready", rows });
});

test.each<[list: string, path: () => string]>([
  ["applications", () => "/api/applications"],
  ["guest accounts", () => "/api/guest-accounts"],
  ["infrastructure profiles", () => "/api/infrastructure-profile"],
  ["rows of a job", () => `/api/jobs/${jobId}/rows`],
])("the list of %s finds a name in any letter case and Unicode form, and without umlauts", async (_, path) => {
  // Control: the list contains both names.
  expect(new Set(JSON.stringify((await service.get(path())).body.data).match(/Müller-Weiß|Miller-Weis/g)).size).toBe(2);
  for (const search of searches) {
    const { status, body } = await service.get(`${path()}?search=${encodeURIComponent(search)}`);
    const found = new Set(JSON.stringify(body.data).match(/Müller-Weiß|Miller-Weis/g));
    expect([status, [...found]], search).toEqual([200, [name]]);
  }
});
