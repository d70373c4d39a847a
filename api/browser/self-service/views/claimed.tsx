import type { HandOver } from "../../../../db/queries/issuance/hand-overs.ts";
import { HelpText } from "../../../pages/parts/help-text.tsx";
import type { PageRequest } from "../../../pages/page-request.ts";
import type { Viewer } from "../viewer.ts";
import { Back } from "./form-parts.tsx";
import { sendSelfServicePage } from "./page.tsx";

/** After this wait the page shows that the user need not keep waiting, and reloads less often. */
const lateMs = 30_000;
/** After this wait the page no longer reloads automatically. */
const givenUpMs = 10 * 60_000;

/** Shows that the profile is being prepared. The page reloads automatically during the first ten minutes. */
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

/** Shows that the profile was not requested in time, and where to start again. */
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

/**
 * Shows that the file is no longer available, and what to do. A profile whose file was never fetched is revoked
 * automatically.
 */
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

/** Shows that the profile could not be created. */
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
