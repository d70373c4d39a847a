import { Card, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

export function SettingCard({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <Card withBorder component="section" aria-label={title}>
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
