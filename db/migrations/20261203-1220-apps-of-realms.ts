import type { Migration } from "./migration.ts";

/** A realm's settings for apps and for the files of devices. With their defaults, no file changes. */
export const appsOfRealms: Migration = {
  name: "20261203-1220-apps-of-realms",
  up: `
alter table realms
  add column onboarding_apps boolean not null default false,
  add column apps_listing text not null default '' check (char_length(apps_listing) <= 200),
  add column radius_names text[] not null default '{}' constraint realms_radius_names check (
    cardinality(radius_names) <= 8 and coalesce(array_ndims(radius_names), 1) = 1
    and array_position(radius_names, null) is null and array_position(radius_names, '') is null
    and char_length(array_to_string(radius_names, ';')) <= 255),
  add column rcois text[] not null default '{}' constraint realms_rcois check (
    cardinality(rcois) <= 8 and coalesce(array_ndims(rcois), 1) = 1 and array_position(rcois, null) is null
    and array_to_string(rcois, ',') ~ '^(([0-9A-F]{6}|[0-9A-F]{10})(,([0-9A-F]{6}|[0-9A-F]{10}))*)?$'),
  add column help_mail text not null default '' check (char_length(help_mail) <= 254),
  add column help_phone text not null default '' check (help_phone ~ '^[-0-9+()/ ]{0,40}$'),
  add column reminder_lead_days integer not null default 0 check (reminder_lead_days between 0 and 60);
comment on column realms.onboarding_apps is 'Whether the geteduroam apps may fetch profiles.';
comment on column realms.apps_listing is 'Under which name the apps list the realm; empty: people type the address.';
comment on column realms.radius_names is 'Names that the RADIUS servers'' certificates may show, beside radius_cn.';
comment on column realms.rcois is 'Roaming consortium identifiers of Passpoint, 6 or 10 hexadecimal digits each, the preferred one first.';
comment on column realms.help_mail is 'Where people ask for help, in files for devices; empty: none.';
comment on column realms.help_phone is 'Which number people call for help, in files for devices; empty: none.';
comment on column realms.reminder_lead_days is 'How many days before its end a profile ends for the apps, which then ask the person to sign in again.';
`,
};
