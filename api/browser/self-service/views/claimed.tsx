import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import { HelpText } from "../../pages/help-text.tsx";
import type { PageRequest } from "../../pages/page-request.ts";
import type { Viewer } from "../viewer.ts";
import { Back } from "./form-parts.tsx";
import { sendSelfServicePage } from "./page.tsx";

/** From then on the page says that nobody needs to wait, and asks less often. */
const lateMs = 30_000;
/** From then on it does not ask any more by itself. */
const givenUpMs = 10 * 60_000;

/** Shows that the profile is being made; the page asks again by itself. */
export function sendPreparing(page: PageRequest, { realm, owner }: Viewer, { waitedMs }: { waitedMs: number }): void {
  const isLate = waitedMs >= lateMs;
  const isGuests = owner?.of.userId === null;
  sendSelfServicePage(page, {
    realm,
    visitor: owner?.visitor,
    current: "devices",
    refreshSeconds: isLate ? (waitedMs < givenUpMs ? 10 : undefined) : 2,
    say: ({ preparing, handOver: { toDevices } }) => ({
      title: preparing.title,
      body: (
        <>
          <div class="card">
            <span class="spinner" aria-hidden="true"></span>
            <p>{isLate ? (isGuests ? preparing.lateGuest : preparing.late) : preparing.text}</p>
            {isLate && (
              <a class="button quiet" href="?">
                {preparing.checkNow}
              </a>
            )}
          </div>
          {isLate && owner?.visitor !== undefined && <Back href={owner.home}>{toDevices}</Back>}
        </>
      ),
    }),
  });
}

/** Says that nobody asked for the profile in time, and where to begin again. */
export function sendUnused(page: PageRequest, { realm, owner }: Viewer): void {
  sendSelfServicePage(page, {
    status: 410,
    realm,
    visitor: owner?.visitor,
    current: "devices",
    say: ({ unused, add }) => ({
      title: unused.title,
      body: (
        <div class="card">
          <p>{unused.text}</p>
          {owner === undefined ? (
            <p>{unused.elsewhere}</p>
          ) : (
            <a class="button" href={`${owner.home}/devices/new`}>
              {add.title}
            </a>
          )}
        </div>
      ),
    }),
  });
}

/** Says that the file cannot be had any more, and what to do. A profile whose file nobody fetched is revoked by itself. */
export function sendGone(page: PageRequest, { serialNumber, downloadedAt }: HandOver, { realm, owner }: Viewer): void {
  const isOwners = owner?.visitor !== undefined;
  const isFetched = downloadedAt !== null;
  sendSelfServicePage(page, {
    status: 410,
    realm,
    visitor: owner?.visitor,
    current: "devices",
    say: ({ gone, home, add, handOver }) => ({
      title: gone.title,
      body: (
        <div class="card">
          <p>{isFetched ? gone.text : gone.unfetched}</p>
          <p>
            {owner === undefined
              ? gone.remedyElsewhere
              : isOwners && isFetched
                ? gone.remedy
                : isFetched
                  ? gone.remedyGuest
                  : gone.remedyUnfetched}
          </p>
          {owner !== undefined && (
            <div class="pair">
              {isOwners && isFetched && serialNumber !== null && (
                <a class="button quiet" href={`${owner.home}/devices/${serialNumber}/revoke`}>
                  {home.revoke}
                </a>
              )}
              <a class="button" href={isOwners ? owner.home : `${owner.home}/devices/new`}>
                {isOwners ? handOver.toDevices : add.title}
              </a>
            </div>
          )}
        </div>
      ),
    }),
  });
}

/** Says that no profile came of it. */
export function sendFailed(page: PageRequest, { realm, owner }: Viewer): void {
  sendSelfServicePage(page, {
    realm,
    visitor: owner?.visitor,
    current: "devices",
    say: ({ failed }, language) => ({
      title: failed.title,
      body: (
        <div class="card">
          <p>
            <HelpText text={failed.text} language={language} realm={realm} />
          </p>
          {owner !== undefined && (
            <a class="button" href={`${owner.home}/devices/new`}>
              {failed.again}
            </a>
          )}
        </div>
      ),
    }),
  });
}
