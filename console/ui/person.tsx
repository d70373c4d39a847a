import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf, type Schemas } from "../api/api-client.ts";
import { useMay } from "../session/may.ts";
import { AnchorLink } from "./anchor-link.tsx";

/** What a link to a person says. The ID of somebody who was forgotten is empty. */
type NamedPerson = Pick<Schemas["Person"], "pairwiseID" | "email">;

const personKey = (userID: string) => ["person", userID];

/** One person, for the few places that name somebody of whom no list has told. Names are kept: lists bring newer ones. */
const personQuery = (userID: string) =>
  queryOptions({
    queryKey: personKey(userID),
    queryFn: ({ signal }): Promise<NamedPerson> =>
      dataOf(api.GET("/api/user/{userID}", { params: { path: { userID } }, signal })),
    staleTime: Infinity,
    gcTime: Infinity,
  });

/** Remembers whom the answer of a list names (`include=people`), so that nobody is asked for one by one. */
export function rememberPeople(queries: QueryClient, people: Readonly<Record<string, NamedPerson>> = {}): void {
  for (const [userID, person] of Object.entries(people)) queries.setQueryData(personKey(userID), person);
}

/** What a list is asked for beside its rows, by those who may know people. */
export function useIncludedPeople(): { include?: "people" } {
  return useMay()("users") ? { include: "people" } : {};
}

/** What a person is called where there is little room. */
export const personName = ({ email, pairwiseID, userID }: Pick<Schemas["User"], "email" | "pairwiseID" | "userID">) =>
  email || pairwiseID || userID;

/** What a person is called in lists of their own: a person who was forgotten has a number alone. */
export function usePersonID(): (user: Pick<Schemas["User"], "pairwiseID" | "userID">) => string {
  const { t } = useTranslation();
  return ({ pairwiseID, userID }) => (pairwiseID === "" ? t("users.forgotten", { userID }) : pairwiseID);
}

/**
 * A person by name, leading to their page; until the name is known, a place for it. Who may not know people sees that there
 * is one. `inText`: other words stand beside it.
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
      // A short name is too small to be hit (WCAG 2.2, 2.5.8).
      miw={24}
      mih={24}
      style={{ overflowWrap: "anywhere" }}
      title={id}
    >
      {data === undefined ? t("users.unnamed") : data.email || id}
    </AnchorLink>
  );
}
