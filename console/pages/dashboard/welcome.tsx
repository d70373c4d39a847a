import { Paper, SimpleGrid, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconApps, IconRouter, IconUserPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { AnchorLink } from "../../ui/anchor-link.tsx";

const steps = [
  { name: "application", to: "/applications/new", icon: IconApps },
  { name: "people", to: "/jobs/new/onboarding", icon: IconUserPlus },
  { name: "radius", to: "/infrastructure", icon: IconRouter },
] as const;

/** For a realm in which nothing has happened yet: what to do first. */
export function Welcome() {
  const { t } = useTranslation();
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="md">
        <div>
          <Title order={2} size="h3">
            {t("dashboard.welcome.title")}
          </Title>
          <Text c="dimmed">{t("dashboard.welcome.text")}</Text>
        </div>
        <SimpleGrid component="ol" cols={{ base: 1, md: 3 }} m={0} p={0} style={{ listStyle: "none" }}>
          {steps.map(({ name, to, icon: Picture }, index) => (
            <Paper key={name} component="li" withBorder p="md">
              <ThemeIcon size={44} radius="xl" variant="light" mb="sm" aria-hidden>
                <Picture size={24} stroke={1.5} />
              </ThemeIcon>
              <Text fw={600}>
                {index + 1}. <AnchorLink {...linkTo(to)}>{t(`dashboard.welcome.steps.${name}.title`)}</AnchorLink>
              </Text>
              <Text size="sm" mt={4}>
                {t(`dashboard.welcome.steps.${name}.text`)}
              </Text>
            </Paper>
          ))}
        </SimpleGrid>
      </Stack>
    </Paper>
  );
}

const linkTo = (to: (typeof steps)[number]["to"]) =>
  to === "/jobs/new/onboarding"
    ? ({ to: "/jobs/new/$kind", params: { kind: "onboarding" } } as const)
    : ({ to } as const);
