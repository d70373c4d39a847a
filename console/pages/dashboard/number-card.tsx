import { Paper, Text } from "@mantine/core";
import type { Icon } from "../../ui/icons.tsx";
import type { ReactNode } from "react";

/** Shows a number, its title and a note. */
export function NumberCard({
  icon: Picture,
  title,
  value,
  children,
}: {
  icon: Icon;
  /** Links to a list that explains the number. */
  title: ReactNode;
  value: ReactNode;
  children: ReactNode;
}) {
  return (
    <Paper withBorder p="md" component="section">
      <Text component="h2" size="sm" fw={500} mb={4}>
        <Picture size={16} aria-hidden style={{ verticalAlign: "-3px", marginInlineEnd: 6 }} />
        {title}
      </Text>
      <Text component="div" className="digits" fz={30} fw={650} lh={1.25}>
        {value}
      </Text>
      <Text component="div" size="sm" c="dimmed" mt={4}>
        {children}
      </Text>
    </Paper>
  );
}
