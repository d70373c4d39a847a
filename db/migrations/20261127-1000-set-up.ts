import type { Migration } from "./migration.ts";

const refuse = (message: string): string =>
  `raise exception '${message}' using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;`;

/**
 * A realm's settings in the console. Until its set-up is finished, the api may also set, once, the RADIUS server that
 * devices trust; afterwards only the operator may. Realms in which people have profiles were set up before there was a
 * checklist.
 */
export const setUp: Migration = {
  name: "20261127-1000-set-up",
  up: `
alter table realms
  add column set_up_at timestamptz,
  add column time_zone text not null default 'UTC' check (time_zone <> ''),
  add column guest_days_max integer not null default 90 check (guest_days_max between 1 and 3650),
  add column guest_limit_max integer not null default 200 check (guest_limit_max between 1 and 100000);
comment on column realms.set_up_at is 'When the set-up was finished, by somebody or 30 days after the first profile of a person; then the operator alone changes whom the realm trusts.';
comment on column realms.time_zone is 'As the IANA database names it: in which times are shown on pages that cannot know the reader''s.';
comment on column realms.guest_days_max is 'How long a guest account may last that a guest manager makes.';
comment on column realms.guest_limit_max is 'How many profiles a guest account may have that a guest manager makes.';

update realms r
   set set_up_at = now()
 where exists (select from certificates c where c.realm_id = r.id and c.kind = 'user');

create or replace function keep_trust() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not pg_has_role(current_user, 'realmpass_operator', 'usage')
     and (((old.radius_ca is not null or old.set_up_at is not null) and new.radius_ca is distinct from old.radius_ca)
          or ((old.radius_cn is not null or old.set_up_at is not null) and new.radius_cn is distinct from old.radius_cn)
          or (old.upstream_issuer is not null and new.upstream_issuer is distinct from old.upstream_issuer)
          or (old.upstream_client_id is not null and new.upstream_client_id is distinct from old.upstream_client_id)
          or (old.upstream_client_secret is not null
              and new.upstream_client_secret is distinct from old.upstream_client_secret)
          or (old.upstream_claims <> '{}' and new.upstream_claims is distinct from old.upstream_claims)) then
    ${refuse("only the operator changes whom a realm trusts")}
  end if;
  return new;
end
$body$;
comment on function keep_trust() is 'Whom devices and sign-in trust is set once, and for devices before the set-up is finished; after that the operator alone changes it.';

create function keep_set_up() returns trigger
language plpgsql set search_path = public, pg_temp as $body$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    ${refuse("a realm stays set up")}
  end if;
  return new;
end
$body$;

create trigger realms_stay_set_up before update of set_up_at on realms
  for each row when (old.set_up_at is not null and new.set_up_at is distinct from old.set_up_at)
  execute function keep_set_up();
`,
};
