/** Express with one prepared query and no other work: the least that a service of this kind costs. */
import express from "express";
import pg from "pg";

const [realmId = "", userId = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: process.env["BENCH_DATABASE_URL"], max: 16 });
// The service stops its Postgres before this process ends, which fails idle connections.
pool.on("error", () => undefined);

const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.get("/", async (_, response) => {
  const { rows } = await pool.query({
    name: "profiles",
    text: `select serial_number as serial, name, created_at, not_after from certificates
            where realm_id = $1 and user_id = $2 and revoked_at is null order by created_at desc`,
    values: [realmId, userId],
  });
  response.json({ data: rows });
});
const server = app.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(typeof address === "object" ? address?.port : undefined);
});
