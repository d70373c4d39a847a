import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { givenDirectory, type GivenDirectory } from "../../support/given/directory.ts";
import { useApi } from "../../support/service/api.ts";

const api = useApi();

interface Recorded {
  name: string;
  method: string;
  path: string;
  raw: string | undefined;
  status: number;
  /** Properties that the response must have; it may have others. */
  answer: Readonly<Record<string, unknown>>;
}

/** Reads requests from a file: a name after `###`, method and path, a body, and the expected response after `<`. */
function requestsIn(file: string): Recorded[] {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  return text
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [, name = "", method = "", path = "", raw = "", status = "", answer = ""] =
        /^(.*)\n(\w+) (\S+)\n([\s\S]*?)^< (\d+)(.*)$/m.exec(part) ?? [];
      return {
        name,
        method,
        path,
        raw: raw.trim() === "" ? undefined : raw,
        status: Number(status),
        answer: answer.trim() === "" ? {} : (JSON.parse(answer) as Recorded["answer"]),
      };
    });
}

const files = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".http"));

test("requests of each product are recorded", () => {
  expect(files).toEqual(["entra-with-flag.http", "entra.http", "okta.http"]);
});

describe.each(files)("%s", (file) => {
  let directory: GivenDirectory;
  let id = "";
  beforeAll(async () => {
    directory = await givenDirectory(api);
  });

  test.each(requestsIn(file))("$name", async ({ method, path, raw, status, answer }) => {
    const sent = await directory.scim.send(method, path.replace("{{id}}", id), {
      ...(raw !== undefined && { raw }),
      headers: { "content-type": "application/scim+json" },
    });
    expect(sent.status, sent.text).toBe(status);
    if (status !== 204) expect(sent.body).toMatchObject(answer);
    if (status !== 201) return;
    if (id !== "") expect(sent.body.id).toBe(id);
    id = sent.body.id;
  });
});
