import { Card, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useAnchor } from "../../ui/use-anchor.ts";

/** Shows one part of the settings. */
export function SettingCard({
  id,
  title,
  note,
  children,
}: {
  /** The section's anchor in addresses. */
  id?: string;
  title: string;
  note?: string;
  children: ReactNode;
}) {
  return (
    <Card {...useAnchor(id)} withBorder component="section" aria-label={title}>
      <Stack>
        <div>
          <Title order={2} size="h3">
            {title}
          </Title>
          {note !== undefined && (
            <Text size="sm" c="dimmed">
              {note}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Card>
  );
}
