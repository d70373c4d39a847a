import { Button, Group } from "@mantine/core";
import { IconBan, IconUserCheck, IconUserMinus, IconUserPlus } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMay } from "../../session/may.ts";

/** Buttons for the kinds of jobs that the user can begin. */
export function NewJobButtons() {
  const { t } = useTranslation();
  const may = useMay();
  if (!may("newJob")) return null;
  return (
    <Group gap="sm">
      <Button component={Link} to="/jobs/new/onboarding" leftSection={<IconUserPlus size={16} aria-hidden />}>
        {t("jobs.new.onboarding")}
      </Button>
      <Button
        component={Link}
        to="/jobs/new/offboarding"
        variant="default"
        leftSection={<IconUserMinus size={16} aria-hidden />}
      >
        {t("jobs.new.offboarding")}
      </Button>
      <Button
        component={Link}
        to="/jobs/new/reactivation"
        variant="default"
        leftSection={<IconUserCheck size={16} aria-hidden />}
      >
        {t("jobs.new.reactivation")}
      </Button>
      {may("revocation") && <RevocationButton />}
    </Group>
  );
}

/** Leads to the first step of a job that revokes the profiles of a file. */
export function RevocationButton() {
  const { t } = useTranslation();
  return (
    <Button
      component={Link}
      to="/jobs/new/revocation"
      variant="default"
      leftSection={<IconBan size={16} aria-hidden />}
    >
      {t("nav.revocation")}
    </Button>
  );
}
