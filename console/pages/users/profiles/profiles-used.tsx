import { Group, Progress, Text } from "@mantine/core";
import type { User } from "../load-users.ts";

/** Shows how many of a user's allowed profiles are in use. */
export function ProfilesUsed({ user: { profileCount, maxProfiles } }: { user: User }) {
  return (
    <Group gap="xs" wrap="nowrap">
      <Progress
        aria-hidden
        w={56}
        color={profileCount >= maxProfiles ? "orange" : "indigo"}
        value={Math.min(100, (profileCount / maxProfiles) * 100)}
      />
      <Text span inherit style={{ whiteSpace: "nowrap" }}>
        {profileCount} / {maxProfiles}
      </Text>
    </Group>
  );
}
