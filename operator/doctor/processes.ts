import type { ProcessState } from "../../db/queries/upkeep/processes.ts";
import type { ProblemCode, ProcessKind } from "../../domain/process.ts";
import { expectedVariables, type ExpectedProcesses } from "../../runtime/config/expected-processes.ts";
import { skewMsMax } from "../../runtime/clock.ts";
import { programVersion } from "../../runtime/program-files.ts";
import { fails, passes, warns, type Check } from "./check.ts";
import { killedRemedy, reasonOf, restart, startRemedy, type Way } from "../context/way.ts";

/** The consequence of having no process of a kind. */
const without: Readonly<Record<ProcessKind, string>> = {
  worker: "nothing is issued; OCSP reports revocations, but no CRL is renewed",
  responder: "no OCSP request is answered, and strict RADIUS servers admit no device",
  api: "no request is answered",
};

/** The remedy for each problem that a process reports about itself. */
const remediesOf = (way: Way, kind: ProcessKind): Readonly<Record<ProblemCode, string>> => ({
  certificate_ended: `Replace it and its key now. ${restart(way, [kind])}`,
  certificate_ending: `Replace it and its key. ${restart(way, [kind])}`,
  clock_skewed: "Let this machine set its clock by NTP, or the database's, if all processes differ alike.",
  disk_full: "Make room on the disk of PostgreSQL.",
  issuer_away:
    'Look for "issuer.away" in its log; give it the passphrase that opens the key, in REALMPASS_ISSUER_KEY_PASSPHRASE.',
  login_too_wide:
    "Give it a login and a data directory of its own: `operator migrate --logins`, `operator secrets create`.",
  metrics_port: `Set REALMPASS_METRICS_PORT. ${restart(way, [kind])}`,
  notifications_lost: 'Look for "listener.connection_lost" in its log.',
  publication_failed: 'Look for "crl.failed" in its log.',
});

/** Returns the remedy for a problem. A newer process may report a code that this version does not know. */
const remedyOf = (code: string, way: Way, kind: ProcessKind): string =>
  Object.entries(remediesOf(way, kind)).find(([known]) => known === code)?.[1] ??
  "The newest version's docs/health.md explains it.";

/** While the database is read-only no process can report that it is alive: silence proves nothing. */
export const processesNotKnown = warns(
  "processes",
  "not known: the database is read-only, so no process can report that it is alive",
  "See database-write.",
);

/**
 * Checks that processes of each kind run, as many as expected, with versions that can run together and with the same
 * queue. Reports processes that fell silent, and the problems that processes have found in themselves. The remedies
 * depend on how the service was started.
 */
export function checkProcesses(
  states: readonly ProcessState[],
  { way, expected }: { way: Way; expected: ExpectedProcesses },
): Check[] {
  const kinds = Object.keys(without) as ProcessKind[];
  const aliveOf = (kind: ProcessKind): number => states.filter((state) => state.alive && state.kind === kind).length;
  const missing = kinds.filter((kind) => aliveOf(kind) === 0);
  const few = kinds.filter((kind) => !missing.includes(kind) && aliveOf(kind) < expected[kind]);
  const each = states.flatMap((state) =>
    state.problems
      .filter(() => state.alive)
      .map((problem) => {
        const report = stopsWork(state, problem, states) ? fails : warns;
        return report(
          `process ${state.kind} ${state.host}`,
          `${problem.code} since ${problem.since}: ${problem.detail}`,
          remedyOf(problem.code, way, state.kind),
        );
      }),
  );
  const silent = kinds.flatMap((kind) => checkSilent(states, { kind, way }));
  const versions = versionsOf(states.filter((state) => state.alive));
  const counts = `alive: ${kinds.map((kind) => countOf(kind, states)).join(", ")}${namesOfOthers(states)}`;
  return [
    ...checkQueueNames(states, way),
    missing.length > 0
      ? fails(
          "processes",
          `${missing.map((kind) => `no ${kind}: ${without[kind]}`).join("; ")}; ${counts}`,
          startRemedy(way, missing),
        )
      : areApart(versions)
        ? warns(
            "processes",
            `${counts}, of versions that are more than one release apart: ${versions.join(", ")}`,
            "Bring all processes to the newest of these: docs/upgrade.md.",
          )
        : passes("processes", counts),
    ...(few.length === 0
      ? []
      : [
          warns(
            "processes-expected",
            few.map((kind) => `${aliveOf(kind)} of ${expected[kind]} ${kind}s are alive`).join(", "),
            `${startRemedy(way, few)} If fewer are right, correct ${few.map((kind) => expectedVariables[kind]).join(" and ")}.`,
          ),
        ]),
    ...silent,
    ...each,
  ];
}

const hourSeconds = 3_600;

/**
 * Reports processes of a kind that fell silent: a single process alone, several within an hour in one finding, because
 * they share a cause.
 */
function checkSilent(states: readonly ProcessState[], { kind, way }: { kind: ProcessKind; way: Way }): Check[] {
  const silent = states.filter((state) => !state.alive && state.kind === kind && state.silentSeconds <= hourSeconds);
  const [first] = silent;
  if (first === undefined) return [];
  if (silent.length === 1) {
    const message = `pid ${first.pid} was not seen for ${first.silentSeconds} s and did not stop cleanly`;
    const remedy = `${reasonOf(way, [kind])} Its entry is removed an hour after it was last seen.`;
    return [warns(`process ${kind} ${first.host}`, message, remedy)];
  }
  const named = silent.map(({ host, pid, silentSeconds }) => `${host} ${pid} ${silentSeconds} s ago`);
  const message = `${silent.length} ${kind}s fell silent in the last hour and did not stop cleanly: ${named.join(", ")}`;
  return [warns(`process ${kind}`, message, killedRemedy(way, kind))];
}

const versionsOf = (states: readonly ProcessState[]): string[] =>
  [...new Set(states.map(({ version }) => version))].sort();

/**
 * Counts the live processes of a kind and lists their versions: only the versions show that an upgrade did not happen.
 */
function countOf(kind: ProcessKind, states: readonly ProcessState[]): string {
  const alive = states.filter((state) => state.alive && state.kind === kind);
  return alive.length === 0 ? `${kind} 0` : `${kind} ${alive.length} (${versionsOf(alive).join(" and ")})`;
}

/** Names the processes that run a different version from this program; empty if all run this version. */
function namesOfOthers(states: readonly ProcessState[]): string {
  const own = programVersion();
  const others = states.filter(({ alive, version }) => alive && version !== own);
  const names = others.map(({ kind, host, pid, version }) => `${kind} ${host} ${pid} (${version})`);
  return names.length === 0 ? "" : `; of another version than this program (${own}): ${names.join(", ")}`;
}

/** Checks that all processes use the same queue: one process must find the tasks that another adds. */
function checkQueueNames(states: readonly ProcessState[], way: Way): Check[] {
  const users = states.filter(({ alive, queue }) => alive && queue !== null);
  const queues = [...new Set(users.map(({ queue }) => queue))];
  if (queues.length < 2) return [];
  const sides = queues.map((each) =>
    users
      .filter(({ queue }) => queue === each)
      .map(({ kind, host, pid }) => `${kind} ${host} ${pid}`)
      .join(", "),
  );
  const remedy = `Give all apis and workers one REDIS_URL, or none. ${restart(way, ["api", "worker"])}`;
  return [fails("queue", `the processes use different queues: ${sides.join("; ")}`, remedy)];
}

/**
 * Whether a problem stops all signing or answering: a clock that is too far off, an issuer that no worker can use, an
 * expired certificate.
 */
function stopsWork(
  { clockSkewMs }: ProcessState,
  { code, detail }: ProcessState["problems"][number],
  states: readonly ProcessState[],
): boolean {
  if (code === "clock_skewed") return Math.abs(clockSkewMs ?? 0) > skewMsMax;
  return (
    code === "certificate_ended" ||
    (code === "issuer_away" &&
      states
        .filter(({ kind, alive }) => kind === "worker" && alive)
        .every(({ problems }) => problems.some((other) => other.code === code && other.detail === detail)))
  );
}

/**
 * Whether versions are more than one release apart: a release runs only together with the one before it. Each release
 * has another minor version. Two releases with different major versions count as adjacent.
 */
function areApart(versions: readonly string[]): boolean {
  const releases = [...new Set(versions.map((version) => version.split(".").slice(0, 2).join(".")))];
  const [one, other] = releases.map((release) => release.split(".").map(Number));
  return releases.length > 2 || (one?.[0] === other?.[0] && Math.abs((one?.[1] ?? 0) - (other?.[1] ?? 0)) > 1);
}
