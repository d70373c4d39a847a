import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { IconBan } from "../../../ui/icons.tsx";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, listOf } from "../../../api/api-client.ts";
import { useMay } from "../../../session/may.ts";
import { ErrorNotice } from "../../../ui/notice/error-notice.tsx";
import { useRevoke } from "../../profiles/revoke.tsx";
import type { User } from "../load-users.ts";
import { userActivityQuery } from "../../../activity/activity.ts";
import { ProfileTable, type Activities } from "./profile-table.tsx";
import { Section } from "../../../ui/section.tsx";

/** A person can have at most this many active profiles, including renewals in progress. */
const activeMax = 200;
const pastPerPage = 5;

const profilesQuery = (userID: string, { past, limit }: { past: boolean; limit: number }) =>
  queryOptions({
    queryKey: ["user-profiles", userID, past, limit],
    queryFn: ({ signal }) =>
      listOf(
        api.GET("/api/user/{userID}/profiles", {
          params: {
            path: { userID },
            header: { "x-api-version": "2.0" },
            query: { limit, filter: { invalid: String(past) }, sort: { createtime: "desc" } },
          },
          signal,
        }),
      ),
  });

/** Shows a person's active profiles, and the past profiles below. */
export function UserProfiles({ user: { userID } }: { user: User }) {
  const { t } = useTranslation();
  const revoke = useRevoke();
  const mayRevoke = useMay()("revokeProfile");
  const activity = useQuery(userActivityQuery(userID));
  const activities = new Map(activity.data?.profiles.map((profile) => [profile.serial, profile]));
  const { data, error, refetch } = useQuery(profilesQuery(userID, { past: false, limit: activeMax }));
  return (
    <Section
      title={t("users.profiles.title")}
      aside={
        data !== undefined &&
        data.total > 1 &&
        mayRevoke && (
          <Button
            size="xs"
            color="red"
            variant="light"
            leftSection={<IconBan size={16} aria-hidden />}
            onClick={() => {
              revoke(data.data);
            }}
          >
            {t("users.profiles.revokeAll")}
          </Button>
        )
      }
    >
      {error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={80} role="status" aria-label={t("shell.loading")} />}
      {data?.total === 0 && <Text c="dimmed">{t("users.profiles.none")}</Text>}
      {data !== undefined && data.total > 0 && (
        <ProfileTable label={t("users.profiles.title")} profiles={data.data} activities={activities} revoke={revoke} />
      )}
      <PastProfiles userID={userID} activities={activities} />
    </Section>
  );
}

function PastProfiles({ userID, activities }: { userID: string; activities: Activities }) {
  const { t } = useTranslation();
  const [limit, setLimit] = useState(pastPerPage);
  const { data, error, refetch } = useQuery({
    ...profilesQuery(userID, { past: true, limit }),
    placeholderData: keepPreviousData,
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={80} role="status" aria-label={t("shell.loading")} />;
  if (data.total === 0) return null;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} role="status">
        {t("users.profiles.past", { count: data.total })}
      </Text>
      <ProfileTable
        label={t("users.profiles.past", { count: data.total })}
        profiles={data.data}
        activities={activities}
      />
      {data.data.length < data.total && (
        <Button
          variant="default"
          size="xs"
          w="fit-content"
          onClick={() => {
            setLimit(limit + pastPerPage * 5);
          }}
        >
          {t("users.profiles.more")}
        </Button>
      )}
    </Stack>
  );
}
