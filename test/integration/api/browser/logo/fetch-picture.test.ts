import type { ServerResponse } from "node:http";
import { beforeEach, expect, test } from "vitest";
import { createPictureFetch } from "../../../../../api/browser/logo/fetch-picture.ts";
import { png, svg, usePictureServer } from "../../../../support/counterparts/picture-server.ts";

const server = usePictureServer();
/** A second server on this machine, at an address from which the service does not fetch pictures. */
const inner = usePictureServer("127.0.0.2");

const authorities = `${server.authorities}${inner.authorities}`;
const fetchPicture = createPictureFetch({ networks: "127.0.0.1, ::1", authorities, timeoutMs: 1_000 });
const fetchFromPublic = createPictureFetch({ authorities, timeoutMs: 1_000 });
const withPicture = { type: "image/png", bytes: png };

const redirect = (location: string, status = 302) => {
  return (_: unknown, outgoing: ServerResponse): void => {
    outgoing.writeHead(status, { location, "set-cookie": "seen=1" }).end();
  };
};

beforeEach(() => {
  server.asked.length = 0;
  server.show("/logo.png", "image/png", png);
});

test("a picture is fetched without a cookie, credentials or anything that identifies the service", async () => {
  server.on("/first", redirect("/logo.png"));
  expect(await fetchPicture(`${server.url}/first`)).toEqual(withPicture);
  expect(server.asked.map(({ path }) => path)).toEqual(["/first", "/logo.png"]);
  for (const { headers } of server.asked) {
    expect(Object.keys(headers).sort()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
  }
});

test("the host name is resolved, and its certificate must match the name", async () => {
  expect(await fetchPicture(`https://localhost:${server.port}/logo.png`)).toEqual(withPicture);
  const untrusting = createPictureFetch({ networks: "127.0.0.1, ::1" });
  await expect(untrusting(`${server.url}/logo.png`)).rejects.toThrow(
    "it cannot be reached: DEPTH_ZERO_SELF_SIGNED_CERT",
  );
  expect(server.asked).toHaveLength(1);
});

test("an address outside the public Internet is refused in every spelling", async () => {
  const before = server.connections();
  const hosts = [
    ...["127.0.0.1", "localhost", "localhost.", "127.1", "0177.0.0.1", "0x7f000001", "2130706433", "127.0.0.1."],
    ...["[::ffff:127.0.0.1]", "[::1]", "0.0.0.0", "[::]", "１２７.0.0.1", "127。0。0。1"],
  ];
  for (const host of hosts) {
    await expect(fetchFromPublic(`https://${host}:${server.port}/logo.png`), host).rejects.toThrow(
      /^its address is not a public one$|^its name has no address$/,
    );
  }
  for (const host of ["10.0.0.1", "169.254.169.254", "192.168.0.1", "[fd00:ec2::254]", "[fe80::1]"]) {
    await expect(fetchFromPublic(`https://${host}/`), host).rejects.toThrow("its address is not a public one");
  }
  expect(server.connections()).toBe(before);
});

test("two redirects are followed, a third is refused", async () => {
  server.on("/3", redirect("/2", 301));
  server.on("/2", redirect(`https://localhost:${server.port}/1`, 307));
  server.on("/1", redirect("logo.png", 308));
  expect(await fetchPicture(`${server.url}/2`)).toEqual(withPicture);
  await expect(fetchPicture(`${server.url}/3`)).rejects.toThrow("it redirects too often");
});

test.each<[what: string, location: () => string, why: string]>([
  ["to an address within", () => `${inner.url}/secret.png`, "its address is not a public one"],
  ["to a cloud's metadata", () => "https://169.254.169.254/latest/meta-data/", "its address is not a public one"],
  ["to plain http", () => `http://127.0.0.1:${server.port}/logo.png`, "its address is not https"],
  ["with a password", () => `https://user:word@127.0.0.1:${server.port}/logo.png`, "its address is not https"],
  ["to a file", () => "file:///etc/passwd", "its address is not https"],
  ["to data", () => "data:image/png;base64,iVBORw0KGgo=", "its address is not https"],
  ["to nothing", () => "https://", "its address is not https"],
])("a redirect %s is not followed", async (_, location, why) => {
  inner.show("/secret.png", "image/png", png);
  server.on("/elsewhere", redirect(location()));
  await expect(fetchPicture(`${server.url}/elsewhere`)).rejects.toThrow(why);
  expect(inner.connections()).toBe(0);
});

test.each<[what: string, answer: (outgoing: ServerResponse) => void, why: string]>([
  ["an error", (outgoing) => outgoing.writeHead(500).end(png), "it answered with status 500"],
  ["no content", (outgoing) => outgoing.writeHead(204).end(), "it answered with status 204"],
  ["a redirect to nowhere", (outgoing) => outgoing.writeHead(302).end(), "it answered with status 302"],
  [
    "a page with the type of a picture",
    (outgoing) => outgoing.writeHead(200, { "content-type": "image/png" }).end("<html><script>"),
    "it is no picture of a kind that is taken",
  ],
  [
    "a page",
    (outgoing) => outgoing.writeHead(200, { "content-type": "text/html" }).end(svg()),
    "it is no picture of a kind that is taken",
  ],
  [
    "a compressed picture",
    (outgoing) => outgoing.writeHead(200, { "content-type": "image/png", "content-encoding": "gzip" }).end(png),
    "it is compressed",
  ],
  [
    "more than the limit, with a Content-Length",
    (outgoing) => outgoing.writeHead(200, { "content-type": "image/png", "content-length": 262_145 }).end(png),
    "it is too large",
  ],
  [
    "more than the limit, without a Content-Length",
    (outgoing) => {
      outgoing.writeHead(200, { "content-type": "image/png" }).write(png);
      outgoing.end(Buffer.alloc(262_144));
    },
    "it is too large",
  ],
  [
    "half of its Content-Length",
    (outgoing) => {
      outgoing.writeHead(200, { "content-type": "image/png", "content-length": 1_000 }).write(png, () => {
        outgoing.destroy();
      });
    },
    "it broke off",
  ],
  ["a closed connection", (outgoing) => outgoing.destroy(), "it cannot be reached: ECONNRESET"],
])("%s is refused", async (_, answer, why) => {
  server.on("/bad", (_incoming, outgoing) => {
    answer(outgoing);
  });
  await expect(fetchPicture(`${server.url}/bad`)).rejects.toThrow(why);
});

test("a picture of exactly the maximum size is accepted", async () => {
  const most = Buffer.concat([png, Buffer.alloc(262_144 - png.length)]);
  server.show("/most.png", "image/png", most);
  expect((await fetchPicture(`${server.url}/most.png`)).bytes.equals(most)).toBe(true);
});

test("a source that never responds or only trickles is aborted at the time limit", async () => {
  server.on("/never", () => undefined);
  server.on("/drop", (_, outgoing) => {
    outgoing.writeHead(200, { "content-type": "image/png" });
    const timer = setInterval(() => outgoing.write("."), 50);
    outgoing.once("close", () => {
      clearInterval(timer);
    });
  });
  for (const path of ["/never", "/drop"]) {
    await expect(fetchPicture(`${server.url}${path}`)).rejects.toThrow("it takes too long");
  }
});

test("redirects share one time limit with the first request", async () => {
  const later =
    (location: string) =>
    (_: unknown, outgoing: ServerResponse): void => {
      setTimeout(() => outgoing.writeHead(302, { location }).end(), 700);
    };
  server.on("/slow", later("/slower"));
  server.on("/slower", later("/logo.png"));
  await expect(fetchPicture(`${server.url}/slow`)).rejects.toThrow("it takes too long");
});
