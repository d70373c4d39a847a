import type { Certificate } from "../../../../db/queries/certificates/certificates.ts";
import type { Absence } from "../../../../db/queries/people/users.ts";
import type { UnsettledIssuance } from "../../../../db/queries/issuance/issuances.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import type { SignedInOwner } from "../signed-in-owner.ts";
import type { Texts } from "../texts/texts.ts";
import { filled, type Times } from "../../../pages/parts/times.tsx";
import { DeviceIcon, DevicesPicture } from "./device-icon.tsx";
import { Notice } from "./notice.tsx";
import { ObjectionBanner } from "./objection.tsx";
import { sendSelfServicePage } from "./page.tsx";
import { StatusLabel, type Status } from "./status.tsx";
import { Usage } from "./usage.tsx";

type Profile = Pick<Certificate, "name" | "deviceType" | "serialNumber" | "notAfter" | "lastOcspAt"> & {
  status: Status;
  /** Whether a renewal is offered. */
  renewable: boolean;
};

export interface DevicesView {
  profiles: readonly Profile[];
  unsettled: readonly UnsettledIssuance[];
  /** The name of a profile that was just revoked. */
  revoked: string | undefined;
  /** A past loss of access, shown once; earlier devices were either kept or revoked. */
  absence: (Absence & { hasKeptDevices: boolean }) | undefined;
}

const refreshSeconds = 5;

/** Lists the user's profiles, their limit, and the way to add another. */
export function sendDevices(
  page: PageRequest,
  me: SignedInOwner,
  { profiles, unsettled, revoked, absence }: DevicesView,
): void {
  const { realm, visitor, objection, limit, count, home } = me;
  const isEmpty = profiles.length === 0 && unsettled.length === 0;
  sendSelfServicePage(page, {
    realm,
    visitor,
    current: "devices",
    refreshSeconds: unsettled.length > 0 ? refreshSeconds : undefined,
    say: (texts, language, times) => ({
      title: texts.home.title,
      body: (
        <>
          {revoked !== undefined && <Notice>{texts.home.revoked(withoutBidiControls(revoked))}</Notice>}
          {absence !== undefined && (
            <Notice>
              {filled(texts.home.back, times.day(absence.from), times.day(absence.to))}{" "}
              {absence.hasKeptDevices ? texts.home.devicesKept : texts.home.devicesEnded}
            </Notice>
          )}
          {objection !== undefined && (
            <ObjectionBanner
              realm={realm}
              language={language}
              objection={objection}
              limit={limit}
              isGuest={false}
              texts={texts}
            />
          )}
          {isEmpty && (
            <div class="card empty">
              <DevicesPicture />
              <h2>{texts.home.emptyTitle}</h2>
              <p>{texts.home.empty}</p>
            </div>
          )}
          <div class="top">
            <Usage count={count} limit={limit} texts={texts.home.usage} />
            {objection === "profile_limit_reached" && profiles.length > 0 ? (
              <a class="button quiet" href="#devices">
                {texts.home.freeAPlace}
              </a>
            ) : (
              <AddDevice home={home} isOff={objection !== undefined} texts={texts} />
            )}
          </div>
          {!isEmpty && (
            <ul id="devices" class="devices" aria-label={texts.home.listTitle}>
              {unsettled.map((issuance) => (
                <Preparing issuance={issuance} texts={texts} />
              ))}
              {profiles.map((profile) => (
                <Card profile={profile} home={home} texts={texts} times={times} />
              ))}
            </ul>
          )}
          <p class="dim">
            {texts.home.ownDataText}{" "}
            <a class="help" href={`${home}/data`} download>
              {texts.home.ownData}
            </a>
          </p>
        </>
      ),
    }),
  });
}

/** Shows the button that adds a device. A disabled button stays visible: a banner gives the reason. */
export function AddDevice({ home, isOff, texts: { home: texts } }: { home: string; isOff: boolean; texts: Texts }) {
  return isOff ? (
    <span class="button disabled" role="link" aria-disabled="true">
      {texts.add}
    </span>
  ) : (
    <a class="button" href={`${home}/devices/new`}>
      {texts.add}
    </a>
  );
}

interface CardProps {
  profile: Profile;
  home: string;
  texts: Texts;
  times: Times;
}

function Card({ profile, home, texts, times }: CardProps) {
  const { name, deviceType, serialNumber, notAfter, lastOcspAt, status, renewable } = profile;
  const plain = withoutBidiControls(name);
  const path = `${home}/devices/${serialNumber}`;
  return (
    <li class="card device">
      <DeviceIcon deviceType={deviceType} />
      <div>
        <h2>
          <a class="link" href={path}>
            {plain}
          </a>
        </h2>
        <p class="dim">
          {texts.deviceTypes[deviceType ?? "Other"].name} · {filled(texts.profile.validUntil, times.end(notAfter))}
        </p>
        <p class="dim">
          {lastOcspAt === null ? texts.profile.notSeen : filled(texts.profile.lastSeen, times.moment(lastOcspAt))}
        </p>
        <StatusLabel status={status} texts={texts} />
      </div>
      <div class="actions">
        {renewable && (
          <a class="button" href={`${path}#renew`} aria-label={texts.home.renewNamed(plain)}>
            {texts.home.renew}
          </a>
        )}
        <a class="button quiet" href={`${path}/revoke`} aria-label={texts.home.revokeNamed(plain)}>
          {texts.home.revoke}
        </a>
      </div>
    </li>
  );
}

function Preparing({ issuance: { name, deviceType }, texts }: { issuance: UnsettledIssuance; texts: Texts }) {
  return (
    <li class="card device">
      <DeviceIcon deviceType={deviceType} />
      <div>
        <h2>{withoutBidiControls(name)}</h2>
        <p class="dim">{texts.home.preparingText}</p>
        <StatusLabel status="preparing" texts={texts} />
      </div>
    </li>
  );
}
