import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** Shows a part of a page, with a heading. */
export function Section({
  title,
  note,
  aside,
  children,
}: {
  title: string;
  note?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Stack gap="sm" component="section" aria-label={title}>
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {note !== undefined && (
            <Text size="sm" c="dimmed">
              {note}
            </Text>
          )}
        </div>
        {aside}
      </Group>
      {children}
    </Stack>
  );
}
