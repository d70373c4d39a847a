import { expect, test } from "vitest";
import { auditOf } from "../../../../support/given/audit.ts";
import { useApi } from "../../../../support/service/api.ts";
import { visitorOf } from "./self-service-support.ts";

const api = useApi();

test("a user downloads all data about them from My devices, once a minute, and the download is in the audit log", async () => {
  const user = await api.given.user({ realmId: api.realmId, email: "me@example.org" });
  const visitor = await visitorOf(api, user);
  expect((await visitor.get("/me")).text).toContain('href="/me/data"');

  const file = await visitor.get("/me/data");

  expect(file.status).toBe(200);
  expect(file.headers["content-disposition"]).toBe(`attachment; filename="user-${user.id}.json"`);
  expect(file.headers["cache-control"]).toBe("no-store");
  expect(JSON.parse(file.text)).toMatchObject({
    user: { userID: user.id, email: "me@example.org" },
    signIn: { logins: [{ method: "local" }] },
    activity: [{ event: "user_export", by: "user" }],
  });
  expect(await auditOf(api.database, "userID", user.id)).toMatchObject([{ event: "user_export", userId: user.id }]);
  expect((await visitor.get("/me/data")).status).toBe(429);
});

test("a visitor who is not signed in is asked to sign in and gets no data", async () => {
  const page = await (await visitorOf(api)).get("/me/data", { follow: false });
  expect(page.status).toBe(303);
  expect(page.text).not.toContain("activity");
});
