import { Text } from "@mantine/core";
import type { ProfileActivity } from "./activity.ts";
import { useDiagnosisText } from "./diagnosis-text.ts";

/**
 * Shows why a device may be off the network, in one line below the device's name; shows nothing until the reason is
 * known.
 */
export function DiagnosisLine({ activity }: { activity: Pick<ProfileActivity, "diagnosis"> | undefined }) {
  const text = useDiagnosisText();
  if (activity === undefined) return null;
  return (
    <Text size="xs" c="dimmed" fw={400} style={{ overflowWrap: "anywhere" }}>
      {text(activity.diagnosis)}
    </Text>
  );
}
