import type { Db } from "../../../db/client.ts";
import * as audit from "../../../db/queries/audit/audit-entries.ts";
import * as consents from "../../../db/queries/oauth/consents.ts";
import * as held from "../../../db/queries/people/user-export.ts";
import * as userNotes from "../../../db/queries/people/user-notes.ts";
import * as vlans from "../../../db/queries/people/vlans.ts";
import type { User } from "../../../db/queries/people/users.ts";
import * as sessions from "../../../db/queries/sign-in/sessions.ts";
import { userExportName } from "../../../domain/download-names.ts";
import type { Deps } from "../../contract/deps.ts";
import { actorOf, type Principal } from "../../contract/principal.ts";
import { Streamed } from "../../contract/stream.ts";
import { consentView } from "../../contract/views/consent-view.ts";
import { sessionView } from "../../contract/views/session-view.ts";
import type { UserExportView } from "../../contract/views/user-export-view.ts";
import { userVlanView } from "../../contract/views/user-vlan-view.ts";
import { userView } from "../../contract/views/user-view.ts";
import { userNoteView } from "./user-note-view.ts";

/** Users can export their own data once in this period, because the export reads the audit log. */
export const ownSecondsMin = 60;

/**
 * Exports all stored data about a user as one file, and records the export in the audit log. The file contains no
 * secret, and data about other people only in the cells of the user's own rows. Returns undefined for users who
 * exported their own data less than {@link ownSecondsMin} seconds ago.
 */
export async function exportUser(
  { db, clock }: Pick<Deps, "db" | "clock">,
  { principal, user, isSelf }: { principal: Principal; user: User; isSelf: boolean },
): Promise<Streamed | undefined> {
  const at = clock.now();
  const { id: userId, realmId } = user;
  const since = new Date(at.getTime() - ownSecondsMin * 1_000);
  if (isSelf && (await held.wasExportedSince(db, { realmId, userId, since }))) {
    return undefined;
  }
  await audit.record(db, {
    realmId,
    event: "user_export",
    actor: actorOf(principal),
    at,
    properties: { userID: userId },
  });
  return new Streamed("application/json; charset=utf-8", userExportName(userId), pieces(db, { user, at }));
}

/** The number of rows to read at a time: few enough to hold in memory, many enough to be quick. */
const profilesMax = 200;
const entriesMax = 5_000;

/** Yields the text of one JSON object, whose lists are read and sent in pages. */
async function* pieces(db: Db, { user, at }: { user: User; at: Date }): AsyncGenerator<string> {
  const { id: userId, realmId } = user;
  const of = { realmId, userId };
  const [signIns, directory, signedIn, allowed, handOvers, requests, vlan, note] = await Promise.all([
    held.findSignIns(db, of),
    held.findDirectoryEntry(db, of),
    sessions.listOfUser(db, { ...of, at }),
    consents.listOfUser(db, { userId }),
    held.listHandOvers(db, of),
    held.listRequests(db, of),
    vlans.find(db, of),
    userNotes.find(db, of),
  ]);
  const head: Omit<UserExportView, "profiles" | "jobRows" | "activity"> = {
    exportedAt: at.toISOString(),
    user: {
      ...userView(user),
      displayName: user.displayName,
      administrator: user.roles.includes("administrator"),
      roles: user.roles,
    },
    note: userNoteView(note ?? { note: null, writtenAt: null }),
    vlan: userVlanView(vlan ?? { given: null, fromProvider: null, realmDefault: null }),
    signIn: {
      username: signIns.username,
      identities: signIns.identities.map((one) => ({ ...one, createdAt: one.createdAt.toISOString() })),
      logins: signIns.logins.map(({ method, signedInAt, expiresAt }) => ({
        method,
        signedInAt: signedInAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
      })),
      links: signIns.links.map(({ createdAt, expiresAt, consumedAt }) => ({
        createdAt: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        consumedAt: isoOf(consumedAt),
      })),
      notPermittedSince: isoOf(signIns.notPermittedSince),
    },
    directory:
      directory === undefined
        ? null
        : {
            ...directory,
            createdAt: directory.createdAt.toISOString(),
            updatedAt: directory.updatedAt.toISOString(),
            deletedAt: isoOf(directory.deletedAt),
          },
    sessions: signedIn.map((session) => sessionView(session, null)),
    consents: allowed.map(consentView),
    handOvers: handOvers.map((one) => ({
      ...one,
      createdAt: one.createdAt.toISOString(),
      expiresAt: one.expiresAt.toISOString(),
      claimedAt: isoOf(one.claimedAt),
      pickedUpAt: isoOf(one.pickedUpAt),
    })),
    requests: requests.map(({ errorCode, createdAt, finishedAt, ...request }) => ({
      ...request,
      creationTime: createdAt.toISOString(),
      finishedAt: isoOf(finishedAt),
      error: errorCode,
    })),
  };
  yield JSON.stringify(head).slice(0, -1);
  yield* list("profiles", profilesOf(db, of));
  yield* list("jobRows", jobRowsOf(db, user));
  yield* list("activity", activityOf(db, user));
  yield "}\n";
}

/** Yields the text of one more property of the object, with the items of all pages. */
async function* list(name: keyof UserExportView, pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  yield `,${JSON.stringify(name)}:[`;
  let separator = "";
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((one) => JSON.stringify(one)).join(",");
    separator = ",";
  }
  yield "]";
}

/** Encodes a certificate as text (RFC 7468 section 5). */
const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;

const isoOf = (at: Date | null): string | null => at?.toISOString() ?? null;

async function* profilesOf(
  db: Db,
  of: { realmId: string; userId: string },
): AsyncGenerator<UserExportView["profiles"]> {
  for (let afterId = "0"; ;) {
    const page = await held.listProfiles(db, { ...of, afterId, limit: profilesMax });
    yield page.map((profile) => ({
      serial: profile.serialNumber,
      name: profile.name,
      description: profile.description,
      deviceType: profile.deviceType,
      identity: profile.identity,
      authable: profile.authable,
      creationTime: profile.createdAt.toISOString(),
      validFrom: profile.notBefore.toISOString(),
      expirationTime: profile.notAfter.toISOString(),
      revokeTime: isoOf(profile.revokedAt),
      revokeReason: profile.revocationReason,
      firstOcsp: isoOf(profile.firstOcspAt),
      firstRefusal: isoOf(profile.firstRefusedAt),
      lastOcsp: isoOf(profile.lastOcspAt),
      lastOtherOcsp: isoOf(profile.lastOtherOcspAt),
      certificate: pemOf(profile.certificate),
    }));
    const last = page.at(-1);
    if (last === undefined || page.length < profilesMax) return;
    afterId = last.id;
  }
}

async function* jobRowsOf(
  db: Db,
  { id: userId, realmId, pairwiseId }: User,
): AsyncGenerator<UserExportView["jobRows"]> {
  for (const jobId of await held.listJobIds(db, { realmId })) {
    const rows = await held.listJobRows(db, { realmId, userId, pairwiseId, jobId });
    yield rows.map(({ columns, input, createdAt, errorCode, ...row }) => ({
      ...row,
      createdAt: createdAt.toISOString(),
      input: Object.fromEntries(columns.map((column, place) => [column, input[place] ?? null])),
      error: errorCode,
    }));
  }
}

async function* activityOf(
  db: Db,
  { id: userId, realmId, createdAt }: User,
): AsyncGenerator<UserExportView["activity"]> {
  // The first entry about a person records their creation and has the same time as their row.
  let after: held.AuditPlace | undefined = { at: new Date(createdAt.getTime() - 1).toISOString(), id: "0" };
  while (after !== undefined) {
    const page: Awaited<ReturnType<typeof held.listAudit>> = await held.listAudit(db, {
      realmId,
      userId,
      after,
      limit: entriesMax,
    });
    yield page.entries.map(({ id, at, event, clientId, byPerson, properties }) => ({
      id,
      date: at.toISOString(),
      event,
      by: byPerson ? ("user" as const) : ("other" as const),
      client: clientId,
      properties,
    }));
    after = page.place;
  }
}
