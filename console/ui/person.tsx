import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api, dataOf, type Schemas } from "../api/api-client.ts";
import { AnchorLink } from "./anchor-link.tsx";
import { throttleCalls } from "./throttle-calls.ts";

const keptMs = 5 * 60_000;

/** One person, asked for when somebody wants to see the name, and remembered. */
export const personQuery = (userID: string) =>
  queryOptions({
    queryKey: ["person", userID],
    queryFn: ({ signal }) =>
      throttleCalls(signal, () => dataOf(api.GET("/api/user/{userID}", { params: { path: { userID } }, signal }))),
    staleTime: keptMs,
  });

/** What a person is called where there is little room. */
export const personName = ({ email, pairwiseID, userID }: Pick<Schemas["User"], "email" | "pairwiseID" | "userID">) =>
  email || pairwiseID || userID;

/** What a person is called in lists of their own: a person who was forgotten has a number alone. */
export function usePersonID(): (user: Pick<Schemas["User"], "pairwiseID" | "userID" | "forgottenDate">) => string {
  const { t } = useTranslation();
  return ({ pairwiseID, userID, forgottenDate }) =>
    forgottenDate === undefined ? pairwiseID : t("users.forgotten", { userID });
}

/** A person by name, or by number until the name is known, leading to their page. `inText`: other words stand beside it. */
export function PersonLink({ userID, inText = false }: { userID: string; inText?: boolean }) {
  const { data } = useQuery(personQuery(userID));
  const personID = usePersonID();
  return (
    <AnchorLink
      to="/users/$userID"
      params={{ userID }}
      inherit
      underline={inText ? "always" : "hover"}
      display="inline-block"
      // A number of one digit is too small to be hit (WCAG 2.2, 2.5.8).
      miw={24}
      mih={24}
      style={{ overflowWrap: "anywhere" }}
      title={data && personID(data)}
      onClick={(event) => {
        event.stopPropagation();
      }}
    >
      {data === undefined ? userID : data.email || personID(data)}
    </AnchorLink>
  );
}
