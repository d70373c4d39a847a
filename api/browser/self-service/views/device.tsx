import type { Certificate } from "../../../../db/queries/certificates/certificates.ts";
import type { PageRequest } from "../../../pages/page-request.ts";
import { withoutBidiControls } from "../../../pages/without-bidi-controls.ts";
import type { SignedInOwner } from "../signed-in-owner.ts";
import type { Objection } from "../../../resources/hand-over/accept-hand-over.ts";
import { filled } from "../../../pages/parts/times.tsx";
import { DeviceIcon } from "./device-icon.tsx";
import { Hidden } from "../../../pages/parts/hidden.tsx";
import { Back } from "./form-parts.tsx";
import { ObjectionBanner } from "./objection.tsx";
import { sendSelfServicePage } from "./page.tsx";
import { StatusLabel, type Status } from "./status.tsx";

export interface DeviceView {
  profile: Certificate;
  status: Status;
  isActive: boolean;
  /** The form for renewing this profile; undefined if renewal is not offered. */
  renewal: { endsSoon: boolean; hidden: Readonly<Record<string, string>> } | undefined;
  /**
   * Set if this profile is active and another one has replaced it. `endsAt`: the earliest time at which this one is
   * revoked; null until the new file is sent.
   */
  renewed: { endsAt: Date | null } | undefined;
  objection: Objection | undefined;
}

/** Shows one profile and what the user can do with it. */
export function sendDevice(page: PageRequest, me: SignedInOwner, view: DeviceView): void {
  const { profile, status, isActive, renewal, renewed, objection } = view;
  const { realm, visitor, home, limit } = me;
  const { name, deviceType, serialNumber, identity, createdAt, notAfter, revokedAt, lastOcspAt } = profile;
  const path = `${home}/devices/${serialNumber}`;
  sendSelfServicePage(page, {
    status: objection === undefined ? 200 : 409,
    realm,
    visitor,
    current: "devices",
    say: (texts, language, times) => ({
      title: withoutBidiControls(name),
      body: (
        <>
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
          <div class="card">
            <div class="device">
              <DeviceIcon deviceType={deviceType} />
              <StatusLabel status={status} texts={texts} />
            </div>
            <dl>
              <dt>{texts.device.deviceType}</dt>
              <dd>{texts.deviceTypes[deviceType ?? "Other"].name}</dd>
              <dt>{texts.device.created}</dt>
              <dd>{times.day(createdAt)}</dd>
              <dt>{status === "expired" ? texts.device.ended : texts.device.validUntil}</dt>
              <dd>{times.end(notAfter)}</dd>
              <dt>{texts.device.lastSeen}</dt>
              <dd>{lastOcspAt === null ? texts.device.notSeen : times.moment(lastOcspAt)}</dd>
              {revokedAt !== null && (
                <>
                  <dt>{texts.device.revokedAt}</dt>
                  <dd>{times.moment(revokedAt)}</dd>
                </>
              )}
              <dt>{texts.device.identity}</dt>
              <dd>{identity}</dd>
              <dt>{texts.device.serial}</dt>
              <dd>{serialNumber}</dd>
            </dl>
            {renewed !== undefined && <p>{texts.device.renewedText}</p>}
            {renewed?.endsAt instanceof Date && <p>{filled(texts.ready.oldEnds, times.end(renewed.endsAt))}</p>}
            {isActive && (
              <a class="button quiet" href={`${path}/revoke`}>
                {texts.device.revoke}
              </a>
            )}
          </div>
          {renewal !== undefined && (
            <form class="card" id="renew" method="post" action={`${path}/renew`}>
              <h2>{renewal.endsSoon ? texts.device.renewTitle : texts.device.setUpAgain}</h2>
              <p>{texts.device.renewText}</p>
              <div class="pair">
                <button name="place" value="here">
                  {texts.add.here}
                </button>
                <button class="quiet" name="place" value="elsewhere">
                  {texts.add.elsewhere}
                </button>
              </div>
              <Hidden fields={renewal.hidden} />
            </form>
          )}
          <Back href={home}>{texts.device.back}</Back>
        </>
      ),
    }),
  });
}
