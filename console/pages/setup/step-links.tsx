import { Anchor, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { base } from "../../api/page-settings.ts";
import { useMay, type Deed } from "../../session/may.ts";
import { useSession } from "../../session/session.tsx";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import type { SetupStep } from "./setup.ts";

type Page = NonNullable<SetupStep["action"]["page"]>;

/** The console's pages, each with the permission without which its link would be useless. */
const pages = {
  settings: { to: "/settings", deed: "settings" },
  infrastructure: { to: "/infrastructure", deed: "infrastructure" },
  onboarding: { to: "/jobs/new/$kind", params: { kind: "onboarding" }, deed: "newJob" },
  users: { to: "/users", deed: "users" },
} as const satisfies Partial<Record<Page, { to: string; params?: { kind: string }; deed: Deed }>>;

/**
 * Links to the page where the user does a step and, for steps at a RADIUS server, to the page that sets up the server
 * and to the guide.
 */
export function StepLinks({ step: { step, action } }: { step: SetupStep }) {
  const { t } = useTranslation();
  const may = useMay();
  const { realm } = useSession();
  const { page } = action;
  const guide = step === "radius_certificate" || step === "radius_asks";
  if (page === null) return null;
  const download = guide && may("createInfrastructure");
  return (
    <Group gap="md">
      {page === "own_devices" && (
        <Anchor href={`${base}/me`} size="sm" underline="always">
          {t("setup.links.own_devices")}
        </Anchor>
      )}
      {step === "sign_in" ? (
        <AnchorLink to="/settings/sign-in" size="sm" underline="always">
          {t("setup.links.sign_in")}
        </AnchorLink>
      ) : (
        page !== "own_devices" && page !== "guide" && may(pages[page].deed) && <PageLink page={page} />
      )}
      {download && (
        <AnchorLink to="/infrastructure/radius" size="sm" underline="always">
          {t("freeradius.title")}
        </AnchorLink>
      )}
      {guide && (
        <Anchor
          href={`${base}/docs/radius?realm=${encodeURIComponent(realm.name)}`}
          target="_blank"
          size="sm"
          underline="always"
        >
          {t("setup.links.guide")}
        </Anchor>
      )}
    </Group>
  );
}

function PageLink({ page }: { page: keyof typeof pages }) {
  const { t } = useTranslation();
  const { deed: _, ...place } = pages[page];
  return (
    <AnchorLink {...place} size="sm" underline="always">
      {t(`setup.links.${page}`)}
    </AnchorLink>
  );
}
