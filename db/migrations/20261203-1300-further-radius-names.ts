import type { Migration } from "./migration.ts";

const upstream = (row: "old" | "new"): string =>
  ["kind", "set_by", "issuer", "client_id", "client_secret", "claims"]
    .map((column) => `${row}.upstream_${column}`)
    .join(", ");

/** Devices trust the further names of RADIUS servers as they trust the first, so the api can set them only once. */
export const furtherRadiusNames: Migration = {
  name: "20261203-1300-further-radius-names",
  up: `
create or replace function keep_trust() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not pg_has_role(current_user, 'realmpass_operator', 'usage')
     and (((old.radius_ca is not null or old.set_up_at is not null) and new.radius_ca is distinct from old.radius_ca)
          or ((old.radius_cn is not null or old.set_up_at is not null) and new.radius_cn is distinct from old.radius_cn)
          or ((old.radius_names <> '{}' or old.set_up_at is not null)
              and new.radius_names is distinct from old.radius_names)
          or ((${upstream("new")}) is distinct from (${upstream("old")})
              and not (old.upstream_kind is null
                       and old.set_up_at is null
                       and new.upstream_kind is not null
                       and new.upstream_set_by is not distinct from 'console'
                       and new.upstream_issuer is not null
                       and new.upstream_client_id is not null))) then
    raise exception 'only the operator changes whom a realm trusts' using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$body$;

drop trigger realms_trust_is_set_once on realms;
create trigger realms_trust_is_set_once
  before update of radius_ca, radius_cn, radius_names, upstream_kind, upstream_set_by, upstream_issuer,
                   upstream_client_id, upstream_client_secret, upstream_claims
  on realms for each row execute function keep_trust();
`,
};
