import { Text } from "@mantine/core";
import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { answerOf, api, type Schemas } from "../../api/api-client.ts";
import { useMay } from "../../session/may.ts";
import { AnchorLink } from "../anchor-link.tsx";

/** The fields that name a person. The pseudonym of a forgotten person is empty. */
export interface NamedPerson extends Pick<Schemas["Person"], "pairwiseID" | "email"> {
  /** Undefined if the API did not send names. */
  displayName?: string | null | undefined;
}

const personKey = (userID: string) => ["person", userID];

/**
 * Loads the name of one person, for the few places without a list that contains names; null if the person is unknown.
 * Names stay cached until a list returns newer ones.
 */
export const personQuery = (userID: string) =>
  queryOptions({
    queryKey: personKey(userID),
    queryFn: async ({ signal }): Promise<NamedPerson | null> => {
      const query = { limit: 1, filter: { userIDs: userID }, include: "people" } as const;
      const { people } = await answerOf(api.GET("/api/user", { params: { query }, signal }));
      return people?.[userID] ?? null;
    },
    staleTime: Infinity,
    gcTime: Infinity,
  });

/** Caches the people in a list's response (`include=people`), which saves one request per person. */
export function rememberPeople(queries: QueryClient, people: Readonly<Record<string, NamedPerson>> = {}): void {
  for (const [userID, person] of Object.entries(people)) queries.setQueryData(personKey(userID), person);
}

/** Returns the query parameter that makes the API add people to a list, if the user may see people. */
export function useIncludedPeople(): { include?: "people" } {
  return useMay()("users") ? { include: "people" } : {};
}

/** Returns a person's name, else the e-mail address, else the pseudonym, else the user ID. */
export const personName = ({ displayName, email, pairwiseID, userID }: NamedPerson & { userID: string }): string =>
  [displayName, email, pairwiseID].find((name) => name !== null && name !== undefined && name !== "") ?? userID;

/** Returns a function that returns the name of a person; a forgotten person has only a number. */
export function usePersonName(): (person: NamedPerson & { userID: string }) => string {
  const { t } = useTranslation();
  return (person) => {
    const name = personName(person);
    return name === person.userID ? t("users.forgotten", { userID: person.userID }) : name;
  };
}

/** Returns the identifiers of a person other than the name: the e-mail address and the pseudonym. */
export const besideName = (person: NamedPerson & { userID: string }): string[] =>
  [person.email, person.pairwiseID].filter((text) => text !== "" && text !== personName(person));

/** Returns the label of a list's row: a name and further identifiers. */
export const labelled = (name: string, beside: readonly string[]): string =>
  beside.length === 0 ? name : `${name} (${beside.join(", ")})`;

/**
 * Links a person's name to their page, with the e-mail address below; shows a placeholder until the name is loaded. A
 * user without access to people sees a general word for a person. `inText`: the name is in running text, without the
 * e-mail address.
 */
export function PersonLink({ userID, inText = false }: { userID: string; inText?: boolean }) {
  const { t } = useTranslation();
  const mayKnow = useMay()("users");
  const { data, isError } = useQuery({ ...personQuery(userID), enabled: mayKnow });
  if (!mayKnow) return t("users.unnamed");
  if (data === undefined && !isError) return <span className="unknown-name" />;
  return <PersonCell userID={userID} person={data ?? undefined} inText={inText} />;
}

/** Links to a person like {@link PersonLink}, with a name that is already loaded. */
export function PersonCell({
  userID,
  person,
  inText = false,
}: {
  userID: string;
  person: NamedPerson | undefined;
  inText?: boolean;
}) {
  const { t } = useTranslation();
  const nameOf = usePersonName();
  const named = person && { ...person, userID };
  const email = person?.email ?? "";
  const name = named === undefined ? t("users.unnamed") : nameOf(named);
  return (
    <>
      <AnchorLink
        to="/users/$userID"
        params={{ userID }}
        inherit
        underline={inText ? "always" : "hover"}
        className="bounded"
        title={named && [name, ...besideName(named)].join(" · ")}
      >
        {name}
      </AnchorLink>
      {!inText && email !== "" && email !== name && (
        <Text span size="sm" c="dimmed" display="block" className="bounded">
          {email}
        </Text>
      )}
    </>
  );
}
