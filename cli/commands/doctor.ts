import { z } from "zod";
import { exitCodes } from "../../terminal/exit-codes.ts";
import { retryOptionsOf, type Context } from "../context/context.ts";
import { asFailure } from "../context/failure.ts";
import type { Resource } from "../output/resource.ts";
import { fetchAccessToken, scopesOf } from "../service/access-token.ts";
import { answerOf } from "../service/service-client.ts";
import { command } from "./command.ts";

interface Finding {
  check: string;
  ok: boolean;
  detail: string;
}

const findingResource: Resource<Finding> = {
  fields: ["check", "ok", "detail"],
  columns: [
    { title: "Check", text: ({ check }) => check },
    { title: "", text: ({ ok }, colors) => (ok ? colors.green("ok") : colors.red("FAIL")) },
    { title: "Detail", text: ({ detail }) => detail },
  ],
};

/** A larger difference between the clocks makes displayed times confusing. */
const skewSecondsMax = 30;
const timeoutMs = 10_000;

export const doctor = command({
  name: "doctor",
  about:
    "Check whether the service can be reached, is healthy and accepts the credentials, and whether the clocks agree.",
  options: {},
  async run(_input, context) {
    const findings: Finding[] = [];
    const check = async <Found>(
      name: string,
      look: () => Promise<{ detail: string; ok?: boolean; found: Found }>,
    ): Promise<Found | undefined> => {
      try {
        const { detail, ok = true, found } = await look();
        findings.push({ check: name, ok, detail });
        return found;
      } catch (error) {
        const failure = asFailure(error, context.io.interrupted);
        if (failure.exitCode === exitCodes.interrupted) throw failure;
        findings.push({ check: name, ok: false, detail: failure.message });
        return undefined;
      }
    };

    const credentials = await check("credentials", async () => {
      const found = await context.credentials();
      return { detail: `${found.clientId} at ${found.url}, secret from ${found.source}`, found };
    });
    if (credentials !== undefined) {
      const reached = await check("service", () => reach(context, credentials.url));
      if (reached !== undefined) {
        await check("clock", () => Promise.resolve(compareClocks(reached.date, context)));
        await check("status", () => status(context, credentials.url));
        const token = await check("token", async () => {
          const quiet = { ...retryOptionsOf(context), notify: () => undefined };
          return { detail: "the credentials are good", found: await fetchAccessToken(credentials, quiet) };
        });
        if (token !== undefined) {
          await check("scopes", () => Promise.resolve(compareScopes(scopesOf(token))));
          await check("realm", () => realm(context));
        }
      }
    }

    await context.out.list(findingResource, findings, { csv: false });
    return findings.every(({ ok }) => ok) ? exitCodes.done : exitCodes.error;
  },
});

const look = (context: Context, address: string): Promise<Response> =>
  fetch(address, {
    redirect: "error",
    signal: AbortSignal.any([context.io.interrupted, AbortSignal.timeout(timeoutMs)]),
  });

async function reach(
  context: Context,
  url: string,
): Promise<{ detail: string; ok: boolean; found: { date: string | null } }> {
  const startedAt = performance.now();
  const response = await look(context, `${url}/healthz`).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : String(cause);
    throw new Error(`cannot be reached: ${reason}`);
  });
  await response.body?.cancel();
  const detail = `answers ${response.status} in ${Math.round(performance.now() - startedAt)} ms`;
  return { detail, ok: response.ok, found: { date: response.headers.get("Date") } };
}

function compareClocks(date: string | null, { io }: Context): { detail: string; ok: boolean; found: undefined } {
  const theirs = Date.parse(date ?? "");
  if (Number.isNaN(theirs)) return { detail: "the service's response has no date", ok: false, found: undefined };
  // The Date header contains whole seconds.
  const seconds = Math.round((io.clock.now().getTime() - theirs - 500) / 1_000);
  const agrees = Math.abs(seconds) <= skewSecondsMax;
  const detail = agrees
    ? `agrees within ${skewSecondsMax} s`
    : `this machine is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} the service`;
  return { detail, ok: agrees, found: undefined };
}

const Status = z.object({
  data: z.object({ checks: z.array(z.object({ name: z.string(), reason: z.string().nullable() })) }),
});
const Failing = z.object({ fields: z.array(z.object({ path: z.string(), reason: z.string() })) });

/** Checks the service as a whole. A warning is shown, but the check still passes. */
async function status(context: Context, url: string): Promise<{ detail: string; ok: boolean; found: undefined }> {
  const response = await look(context, `${url}/status`);
  const body: unknown = await response.json().catch(() => undefined);
  const reasons = response.ok
    ? Status.safeParse(body).data?.data.checks.flatMap(({ name, reason }) =>
        reason === null ? [] : `${name}: ${reason}`,
      )
    : Failing.safeParse(body).data?.fields.map(({ path, reason }) => `${path}: ${reason}`);
  const reason = reasons?.join("; ");
  const detail = response.ok
    ? reason
      ? `works, with warnings: ${reason}`
      : "all parts of the service are well"
    : (reason ?? `answers ${response.status}`);
  return { detail, ok: response.ok, found: undefined };
}

/** The commands and the scopes that they need. */
const needs = {
  users: ["user.read", "user.modify", "user.delete"],
  profiles: ["profile.read", "profile.create", "profile.delete"],
  guests: ["guest.read", "guest.create", "guest.delete"],
  jobs: ["job.read", "job.create"],
  "audit export": ["audit.read"],
} as const;

function compareScopes(scopes: readonly string[] | undefined): { detail: string; ok: boolean; found: undefined } {
  if (scopes === undefined) return { detail: "the token does not list its scopes", ok: true, found: undefined };
  const missing = Object.entries(needs).flatMap(([name, needed]) => {
    const lacking = needed.filter((scope) => !scopes.includes(scope));
    return lacking.length === 0 ? [] : [`${name}: ${lacking.join(" ")}`];
  });
  // A client with few scopes is not faulty.
  const detail = missing.length === 0 ? "every command" : `not all commands; missing for ${missing.join("; ")}`;
  return { detail, ok: true, found: undefined };
}

async function realm(context: Context): Promise<{ detail: string; ok: boolean; found: undefined }> {
  const { api } = await context.service();
  const { data } = await answerOf(api.GET("/api/realm"));
  return { detail: `signed in to ${data.realmName}`, ok: true, found: undefined };
}
