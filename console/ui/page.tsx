import { Group, Stack, Text, Title } from "@mantine/core";
import { useEffect, useRef, type ReactNode } from "react";
import { useSession } from "../session/session.tsx";

/** True if a page has been opened before: the first page leaves the focus at the start of the document. */
let opened = false;

/**
 * Shows a page's heading, actions and content. Its title becomes the document's title. After a change of page, the
 * focus moves to the heading, which a screen reader announces, unless the address names a part of the page.
 */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  /** One sentence below the heading. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { realm } = useSession();
  useEffect(() => {
    document.title = `${title} · ${realm.displayName}`;
  }, [title, realm.displayName]);
  useEffect(() => {
    if (opened && window.location.hash === "") heading.current?.focus({ preventScroll: true });
    opened = true;
  }, []);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="md">
        <div style={{ minWidth: 0 }}>
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {lead !== undefined && (
            <Text c="dimmed" mt={4}>
              {lead}
            </Text>
          )}
        </div>
        {actions !== undefined && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
