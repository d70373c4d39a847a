import { Stack, Text, ThemeIcon } from "@mantine/core";
import type { Icon } from "../ui/icons.tsx";
import type { ReactNode } from "react";

export interface Empty {
  icon: Icon;
  /** One sentence. */
  text: string;
  /** The button or link for creating the first entry. */
  action?: ReactNode;
}

/** Shows an empty list: an icon, a sentence and the first step. */
export function EmptyList({ icon: Picture, text, action }: Empty) {
  return (
    <Stack align="center" gap="md" py={64}>
      <ThemeIcon size={72} radius="xl" variant="light" aria-hidden>
        <Picture size={38} strokeWidth={1.5} />
      </ThemeIcon>
      <Text ta="center" maw={420}>
        {text}
      </Text>
      {action}
    </Stack>
  );
}
