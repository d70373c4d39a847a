import { Alert, Button, Group, Radio, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "../../ui/icons.tsx";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ApplicationType } from "./applications.ts";

const types: readonly ApplicationType[] = ["useragent", "service"];

/** Asks for the type of a new application first, because all other questions depend on the type. */
export function TypeChoice({
  chosen,
  onChoose,
}: {
  chosen: ApplicationType | undefined;
  onChoose: (type: ApplicationType) => void;
}) {
  const { t } = useTranslation();
  const [type, setType] = useState(chosen ?? "useragent");
  return (
    <Stack>
      <Radio.Group
        label={t("applications.typeQuestion")}
        value={type}
        onChange={(value) => {
          setType(types.find((known) => known === value) ?? "useragent");
        }}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
          {types.map((known) => (
            <Radio.Card
              key={known}
              value={known}
              p="md"
              radius="md"
              aria-label={t(`applications.types.${known}.title`)}
            >
              <Group wrap="nowrap" align="flex-start">
                <Radio.Indicator />
                <Stack gap={4}>
                  <Text fw={600}>{t(`applications.types.${known}.title`)}</Text>
                  <Text size="sm" c="dimmed">
                    {t(`applications.types.${known}.text`)}
                  </Text>
                </Stack>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
      <div role="status" className="message-region">
        {type === "service" && (
          <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title={t("applications.serviceWarningTitle")}>
            {t("applications.serviceWarning")}
          </Alert>
        )}
      </div>
      <Group justify="flex-end">
        <Button
          onClick={() => {
            onChoose(type);
          }}
        >
          {t("applications.next")}
        </Button>
      </Group>
    </Stack>
  );
}
