import * as certificatePages from "../../../db/queries/certificates/certificate-pages.ts";
import type { InfrastructureProfileFilter } from "../../../db/queries/certificates/certificate-pages.ts";
import { paginated } from "../../contract/endpoint.ts";
import { filters } from "../../contract/filters.ts";
import { textFilter } from "../../contract/list-search.ts";
import type { ListOptions } from "../../contract/paging.ts";
import {
  InfrastructureProfileView,
  infrastructureProfileView,
} from "../../contract/views/infrastructure-profile-view.ts";

const filter: ListOptions<InfrastructureProfileFilter, never>["filter"] = {
  invalid: filters.flag,
  minCreateTime: filters.instant,
  maxCreateTime: filters.instant,
  minExpirationTime: filters.instant,
  maxExpirationTime: filters.instant,
  text: textFilter("the name, the identity, the serial number or a part of it"),
};

export const listInfrastructureProfiles = paginated({
  operation: "listInfrastructureProfiles",
  summary: "The infrastructure profiles of the realm",
  path: "/api/infrastructure-profile",
  access: "staff",
  scope: "infrastructure.read",
  item: InfrastructureProfileView,
  search: "name or serial",
  sort: certificatePages.infrastructureProfileSortKeys,
  filter,
  errors: [],

  async handle({ principal: { realmId }, page, deps: { db } }) {
    const { items, total } = await certificatePages.pageOfInfrastructure(db, { realmId, page });
    return { items: items.map(infrastructureProfileView), total };
  },
});
