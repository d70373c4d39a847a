import type { Child } from "hono/jsx";
import type { Certificate } from "../../../../db/queries/certificates/certificates.ts";
import { endsSoon } from "../../../../domain/certificate/renewal.ts";
import type { Texts } from "../texts/texts.ts";
import { Icon } from "./device-icon.tsx";

export type Status = "active" | "endsSoon" | "expired" | "revoked" | "renewed" | "preparing";

/** Returns a profile's status. `renewed`: another profile has replaced it. */
export function statusOf(
  profile: Pick<Certificate, "revokedAt" | "notAfter">,
  { at, renewed }: { at: Date; renewed: boolean },
): Status {
  if (profile.revokedAt !== null) return "revoked";
  if (profile.notAfter <= at) return "expired";
  if (renewed) return "renewed";
  return endsSoon(profile, at) ? "endsSoon" : "active";
}

const clock = (
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 7v5.5l3.5 2" />
  </>
);
const crossed = (
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="m9 9 6 6M15 9l-6 6" />
  </>
);
const drawings: Readonly<Record<Status, Child>> = {
  active: (
    <>
      <circle cx="12" cy="12" r="9" />
      <path d="m8 12.5 2.7 2.7L16 9.5" />
    </>
  ),
  endsSoon: clock,
  expired: crossed,
  revoked: crossed,
  renewed: <path d="M4 12a8 8 0 0 1 14-5.3L20 9M20 4v5h-5M20 12a8 8 0 0 1-14 5.3L4 15M4 20v-5h5" />,
  preparing: clock,
};

const colours: Readonly<Record<Status, "good" | "warn" | "off">> = {
  active: "good",
  endsSoon: "warn",
  expired: "off",
  revoked: "off",
  renewed: "warn",
  preparing: "off",
};

/** Shows a status as coloured text with an icon. */
export function StatusLabel({ status, texts }: { status: Status; texts: Texts }) {
  return (
    <span class={`status ${colours[status]}`}>
      <Icon>{drawings[status]}</Icon>
      {texts.status[status]}
    </span>
  );
}
