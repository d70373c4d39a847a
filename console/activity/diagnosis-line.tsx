import { Text } from "@mantine/core";
import type { ProfileActivity } from "./activity.ts";
import { useDiagnosisText } from "./diagnosis-text.ts";

/** Why a device may be off the network, in one line below its name; nothing until it is known. */
export function DiagnosisLine({ activity }: { activity: Pick<ProfileActivity, "diagnosis"> | undefined }) {
  const text = useDiagnosisText();
  if (activity === undefined) return null;
  return (
    <Text size="xs" c="dimmed" fw={400} style={{ overflowWrap: "anywhere" }}>
      {text(activity.diagnosis)}
    </Text>
  );
}
