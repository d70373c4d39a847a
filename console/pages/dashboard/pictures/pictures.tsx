import { Stack } from "@mantine/core";
import { AskedByRadius } from "./asked-by-radius.tsx";
import { Expiries } from "./expiries.tsx";
import { Onboarding } from "./onboarding.tsx";
import { Revocations } from "./revocations.tsx";

/** Shows the dashboard's charts. */
export default function Pictures() {
  return (
    <Stack gap="lg">
      <AskedByRadius />
      <Expiries />
      <Onboarding />
      <Revocations />
    </Stack>
  );
}
