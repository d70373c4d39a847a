import { SimpleGrid, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

export type Fact = readonly [name: string, value: ReactNode];

/** Shows facts as names and values. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3 }} spacing="md" m={0}>
      {facts.map(([name, value]) => (
        <Stack key={name} gap={2}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} style={{ overflowWrap: "anywhere" }}>
            {value}
          </Text>
        </Stack>
      ))}
    </SimpleGrid>
  );
}
