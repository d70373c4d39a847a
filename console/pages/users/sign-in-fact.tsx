import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "../../api/api-client.ts";
import { Bounded } from "../../ui/value/bounded.tsx";
import { formatTime } from "../../ui/value/time.tsx";

/**
 * Shows the identity providers of a person, and since when the sign-in has refused the person as no longer entitled.
 */
export function SignInFact({ userID }: { userID: string }) {
  const { t, i18n } = useTranslation();
  const { data } = useQuery({
    queryKey: ["user", userID, "sign-in"],
    queryFn: ({ signal }) => dataOf(api.GET("/api/user/{userID}/sign-in", { params: { path: { userID } }, signal })),
  });
  if (data === undefined) return null;
  const timeOf = (at: string) => formatTime(new Date(at), i18n.language);
  const { identities, notPermittedSince } = data;
  return (
    <Stack gap={4}>
      {identities.length === 0 && t("users.signIn.none")}
      {identities.map(({ issuer, since }) => (
        <div key={issuer}>
          <Bounded text={issuer} />
          <Text span inherit c="dimmed">
            {` ${t("users.signIn.since", { time: timeOf(since) })}`}
          </Text>
        </div>
      ))}
      {notPermittedSince !== null && (
        <Text inherit>{t("users.signIn.notPermitted", { time: timeOf(notPermittedSince) })}</Text>
      )}
    </Stack>
  );
}
