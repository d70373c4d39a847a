import { Card } from "@mantine/core";
import { ErrorNotice } from "../../ui/notice/error-notice.tsx";
import SetUpRealm from "../setup/set-up-realm.tsx";
import { useSetup } from "../setup/setup.ts";

/** Shows the checklist of the set-up, even after the set-up is finished. */
export function SetupCard() {
  const { data, error, refetch } = useSetup();
  if (data === undefined) return error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return (
    <Card withBorder id="setup">
      <SetUpRealm setup={data} />
    </Card>
  );
}
