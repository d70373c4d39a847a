import * as applications from "../../../db/queries/oauth/applications.ts";
import type { ApplicationFilter } from "../../../db/queries/oauth/applications.ts";
import { ApplicationType } from "../../../domain/people/scopes.ts";
import { paginated } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import { textFilter } from "../../contract/list-search.ts";
import type { ListOptions } from "../../contract/paging.ts";
import { ApplicationView, applicationView } from "../../contract/views/application-view.ts";

const filter: ListOptions<ApplicationFilter, never>["filter"] = {
  type: ApplicationType,
  active: filters.flag,
  text: textFilter("words of the name, the `client_id`"),
};

export const listApplications = paginated({
  operation: "listApplications",
  summary: "The applications of the realm",
  description: "GET only: POST on this path registers an application.",
  methods: ["get"],
  path: "/api/applications",
  access: "staff",
  scope: "application.read",
  item: ApplicationView,
  search: "name",
  sort: applications.applicationSortKeys,
  filter,
  errors: [],

  async handle({ principal: { realmId }, page, deps: { db } }) {
    const { items, total } = await applications.list(db, { realmId, page });
    return { items: items.map(applicationView), total };
  },
});
