import { z } from "zod";
import type { components } from "../../contract-types/api-types.ts";
import { argument, option } from "../../terminal/command.ts";
import { wholeNumber } from "../../terminal/inputs.ts";
import type { Resource } from "../output/resource.ts";
import { answerOf } from "../service/service-client.ts";
import { command } from "./command.ts";

type Result = components["schemas"]["SearchResult"];
type Group = Result["groups"][number];

/** A finding of any kind. */
interface Finding {
  kind: string;
  /** The id for other commands and for the console's addresses. */
  id: string;
  name: string;
  state: string;
  detail: string;
}

const findingResource: Resource<Finding> = {
  fields: ["kind", "id", "name", "state", "detail"],
  columns: [
    { title: "Kind", text: ({ kind }) => kind },
    { title: "Id", text: ({ id }) => id },
    { title: "Name", text: ({ name }) => name },
    {
      title: "Status",
      text: ({ state }, colors) =>
        state === "active" ? colors.green(state) : state === "locked" ? colors.yellow(state) : colors.gray(state),
    },
    { title: "Detail", text: ({ detail }) => detail },
  ],
};

export const find = command({
  name: "find",
  about: "Find people, profiles, guest accounts and applications by anything known about them.",
  arguments: {
    query: argument(
      "QUERY…",
      "an ID, an address, words of a name, a serial number (decimal or hexadecimal) or its beginning or end, or an identity",
      z.array(z.string()).min(1, "is required"),
      { many: true },
    ),
  },
  options: { limit: option("N", "of each kind, 1 to 20; default: 6", wholeNumber(1, 20).optional()) },
  async run({ query, limit }, context) {
    const { api } = await context.service();
    // The search is sent in the body, so no URL contains it.
    const q = query.join(" ");
    const { data } = await answerOf(
      api.POST("/api/search", { body: { q, include: "jobs", ...(limit === undefined ? {} : { limit }) } }),
    );
    if (context.options.json) {
      await context.out.answer(data, "");
      return undefined;
    }
    await context.out.list(
      findingResource,
      data.groups.flatMap((group) => findingsIn(group, data.people)),
      { csv: false },
    );
    for (const { kind, more } of data.groups) if (more) context.notify(`There are more of the kind ${kind}.`);
    for (const kind of data.partial) context.notify(`Not all of the kind ${kind} could be searched in time.`);
    return undefined;
  },
});

function findingsIn(group: Group, people: Result["people"]): Finding[] {
  switch (group.kind) {
    case "user":
      return group.items.map(({ userID, pairwiseID, email, displayName, state, profileCount }) => ({
        kind: "user",
        id: userID,
        name: displayName ?? pairwiseID,
        state,
        detail: [pairwiseID, email, `${profileCount} active`].filter((text) => text !== "").join(", "),
      }));
    case "profile":
      return group.items.map(({ serial, kind, name, state, identity, owner }) => {
        const person = owner === null ? undefined : people[owner];
        return {
          kind: kind === "user" ? "profile" : `${kind} profile`,
          id: serial,
          name,
          state,
          detail: [identity, person?.displayName ?? person?.pairwiseID ?? owner ?? ""]
            .filter((text) => text !== "")
            .join(", "),
        };
      });
    case "guestAccount":
      return group.items.map(({ id, name, state }) => ({ kind: "guest account", id, name, state, detail: "" }));
    case "application":
      return group.items.map(({ client_id, name, type, active }) => ({
        kind: "application",
        id: client_id,
        name,
        state: active ? "active" : "off",
        detail: type,
      }));
    case "job":
      return group.items.map(({ id, kind, name, state }) => ({
        kind: "job",
        id,
        name: name ?? "",
        state,
        detail: kind,
      }));
  }
}
