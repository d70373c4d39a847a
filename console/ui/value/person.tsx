import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf, type Schemas } from "../../api/api-client.ts";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../anchor-link.tsx";

/** The fields that a link to a person shows. The ID of a forgotten person is empty. */
type NamedPerson = Pick<Schemas["Person"], "pairwiseID" | "email">;

const personKey = (userID: string) => ["person", userID];

/** Loads one person, for the few places without a list that names people. Names stay cached; lists bring newer ones. */
const personQuery = (userID: string) =>
  queryOptions({
    queryKey: personKey(userID),
    queryFn: ({ signal }): Promise<NamedPerson> =>
      dataOf(api.GET("/api/user/{userID}", { params: { path: { userID } }, signal })),
    staleTime: Infinity,
    gcTime: Infinity,
  });

/** Caches the people in a list's response (`include=people`), which saves one request per person. */
export function rememberPeople(queries: QueryClient, people: Readonly<Record<string, NamedPerson>> = {}): void {
  for (const [userID, person] of Object.entries(people)) queries.setQueryData(personKey(userID), person);
}

/** Returns the query parameter that adds people to a list, if the user may see people. */
export function useIncludedPeople(): { include?: "people" } {
  return useMay()("users") ? { include: "people" } : {};
}

/** Returns a short name of a person. */
export const personName = ({ email, pairwiseID, userID }: Pick<Schemas["User"], "email" | "pairwiseID" | "userID">) =>
  email || pairwiseID || userID;

/** Returns the name of a person in lists of people: a forgotten person has only a number. */
export function usePersonID(): (user: Pick<Schemas["User"], "pairwiseID" | "userID">) => string {
  const { t } = useTranslation();
  return ({ pairwiseID, userID }) => (pairwiseID === "" ? t("users.forgotten", { userID }) : pairwiseID);
}

/**
 * A person's name, linked to their page; a placeholder until the name is known. Without access to people, it shows only
 * that a person is meant. `inText`: other words stand beside it.
 */
export function PersonLink({ userID, inText = false }: { userID: string; inText?: boolean }) {
  const { t } = useTranslation();
  const mayKnow = useMay()("users");
  const { data, isError } = useQuery({ ...personQuery(userID), enabled: mayKnow });
  const personID = usePersonID();
  if (!mayKnow) return t("users.unnamed");
  if (data === undefined && !isError) return <span className="unknown-name" />;
  const id = data && personID({ ...data, userID });
  return (
    <AnchorLink
      to="/users/$userID"
      params={{ userID }}
      inherit
      underline={inText ? "always" : "hover"}
      display="inline-block"
      // A short name would be too small a target (WCAG 2.2, 2.5.8).
      miw={24}
      mih={24}
      style={{ overflowWrap: "anywhere" }}
      title={id}
    >
      {data === undefined ? t("users.unnamed") : data.email || id}
    </AnchorLink>
  );
}
