import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Request, Response } from "express";
import { beforeAll } from "vitest";
import { rememberRealm, type PageRealm } from "../../../api/pages/page-realm.ts";
import type { PageRequest } from "../../../api/pages/page-request.ts";
import { sendProblem } from "../../../api/pages/problem.tsx";
import { allProblems } from "../../../api/pages/problems.ts";
import { sendSignedOut } from "../../../api/pages/signed-out.tsx";
import { systemClock, type Clock } from "../../../runtime/clock.ts";
import { atEndOfFile } from "../run/at-end.ts";

/** The realm that the pages show. */
const realm: PageRealm = {
  id: "1",
  name: "example",
  displayName: "University of Example",
  logoUri: "",
  uploadedLogo: null,
  helpUri: "https://help.example",
  privacyUri: "https://example.org/privacy",
  timeZone: "Europe/Berlin",
};

/**
 * Starts a server for pages that are hard to reach otherwise: every problem at `/NAME`, and `/signed-out`. Its other
 * addresses stand for an application.
 */
export function usePageGallery(stylesFrom: () => string): { readonly url: string } {
  let url = "";
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      if (incoming.url?.startsWith("/assets/") === true) {
        const asset = await fetch(`${stylesFrom()}${incoming.url}`);
        outgoing.setHeader("Content-Type", asset.headers.get("content-type") ?? "");
        outgoing.end(Buffer.from(await asset.arrayBuffer()));
        return;
      }
      const name = (incoming.url ?? "").slice(1).split("?")[0];
      const request = Object.assign(incoming, { originalUrl: incoming.url }) as unknown as Request;
      const locals = { context: { id: "0b1f6a5e-3a52-4a2a-9d0e-1f2f3f4f5f6f" } };
      const response = Object.assign(outgoing, { locals }) as unknown as Response;
      const clock: Clock = systemClock;
      const logos = { mayHave: () => false };
      const deps = { clock, logos, settings: { authUrl: url } } as unknown as PageRequest["deps"];
      const page = { deps, request, response };
      rememberRealm(page, realm);
      const problem = allProblems.find((known) => known === name);
      if (problem !== undefined) {
        sendProblem(page, problem, { startAgain: "/login", retryAfterSeconds: 840 });
      } else if (name === "signed-out") {
        sendSignedOut(page, { application: { name: "Course planner", clientUri: "https://planner.example" } });
      } else {
        outgoing.setHeader("Content-Type", "text/plain");
        outgoing.end("Welcome back");
      }
    })();
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    atEndOfFile(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
  });
  return {
    get url() {
      return url;
    },
  };
}
