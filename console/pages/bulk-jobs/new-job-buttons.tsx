import { Button, Group } from "@mantine/core";
import { IconBan, IconUserCheck, IconUserMinus, IconUserPlus, type Icon } from "../../ui/icons.tsx";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/may.ts";
import type { JobKind } from "./job.ts";

const icons: Readonly<Record<JobKind, Icon>> = {
  onboarding: IconUserPlus,
  offboarding: IconUserMinus,
  reactivation: IconUserCheck,
  revocation: IconBan,
};

/** Shows buttons for the kinds of jobs that the user can begin. */
export function NewJobButtons() {
  const { t } = useTranslation();
  const may = useMay();
  if (!may("newJob")) return null;
  return (
    <Group gap="sm">
      <NewJobButton kind="onboarding" label={t("jobs.new.onboarding")} variant="filled" />
      <NewJobButton kind="offboarding" label={t("jobs.new.offboarding")} />
      <NewJobButton kind="reactivation" label={t("jobs.new.reactivation")} />
      {may("revocation") && <RevocationButton />}
    </Group>
  );
}

/** Links to the first step of a job that revokes the profiles in a file. */
export function RevocationButton() {
  const { t } = useTranslation();
  return <NewJobButton kind="revocation" label={t("nav.revocation")} />;
}

function NewJobButton({
  kind,
  label,
  variant = "default",
}: {
  kind: JobKind;
  label: string;
  variant?: "default" | "filled";
}) {
  const Picture = icons[kind];
  return (
    <Button component={Link} to={`/jobs/new/${kind}`} variant={variant} leftSection={<Picture size={16} aria-hidden />}>
      {label}
    </Button>
  );
}
