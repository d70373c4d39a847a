-- The schema that the migrations make, printed by test/process/db/catalogue.test.ts. Nothing runs this file.

create extension pg_trgm;

create table abandoned_serial_numbers (
  issuer_id bigint not null,
  serial_number text collate "C" not null,
  issuance_id uuid,
  not_after timestamp with time zone not null,
  abandoned_at timestamp with time zone not null,
  constraint abandoned_serial_numbers_pkey PRIMARY KEY (serial_number, issuer_id),
  constraint abandoned_serial_numbers_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id)
);
comment on table abandoned_serial_numbers is 'Serial numbers of attempts that did not end in a certificate we know, and of certificates that were lost with the database. A signature may exist, so they go on the CRL.';
comment on column abandoned_serial_numbers.issuance_id is 'Null: the operator gave the serial number alone.';
CREATE TRIGGER abandoned_serial_numbers_await_publication AFTER INSERT ON public.abandoned_serial_numbers REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION await_publication_of_abandoned();

create table absences (
  user_id bigint not null,
  realm_id bigint not null,
  ended_at timestamp with time zone not null,
  back_at timestamp with time zone not null,
  constraint absences_pkey PRIMARY KEY (user_id),
  constraint absences_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint absences_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
comment on table absences is 'From when to when the access of people had ended who have not been told since. Written by the trigger users_stay_offboarded, whoever lets them in.';

create table access_tokens (
  token_hash bytea not null,
  realm_id bigint not null,
  client_id text,
  user_id bigint,
  guest_account_id bigint,
  secret_hash bytea,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  session_id uuid,
  certificate_id bigint,
  constraint access_tokens_pkey PRIMARY KEY (token_hash),
  constraint access_tokens_certificate_id_fkey FOREIGN KEY (certificate_id) REFERENCES certificates(id),
  constraint access_tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES applications(client_id) ON DELETE CASCADE,
  constraint access_tokens_guest_account_id_fkey FOREIGN KEY (guest_account_id) REFERENCES guest_accounts(id) ON DELETE CASCADE,
  constraint access_tokens_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint access_tokens_secret_hash_fkey FOREIGN KEY (secret_hash) REFERENCES application_secrets(secret_hash) ON DELETE CASCADE,
  constraint access_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint access_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint access_tokens_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
comment on table access_tokens is 'SHA-256 of access tokens: deleting a row ends the token at once.';
comment on column access_tokens.secret_hash is 'The secret a service got the token with: a secret that goes takes its tokens along.';
comment on column access_tokens.session_id is 'A user''s token belongs to a session; whatever ends that ends the token.';
comment on column access_tokens.certificate_id is 'The profile that the token was got with over mutual TLS: it ends with that.';
CREATE INDEX access_tokens_expiry ON public.access_tokens USING btree (expires_at);
CREATE INDEX access_tokens_of_client ON public.access_tokens USING btree (client_id);
CREATE INDEX access_tokens_of_guest_account ON public.access_tokens USING btree (guest_account_id) WHERE (guest_account_id IS NOT NULL);
CREATE INDEX access_tokens_of_secret ON public.access_tokens USING btree (secret_hash) WHERE (secret_hash IS NOT NULL);
CREATE INDEX access_tokens_of_session ON public.access_tokens USING btree (session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX access_tokens_of_user ON public.access_tokens USING btree (user_id) WHERE (user_id IS NOT NULL);

create table active_profiles (
  id bigint not null,
  realm_id bigint not null,
  serial_number text collate "C" not null,
  created_at timestamp with time zone not null,
  not_after timestamp with time zone not null,
  device_type text,
  authable boolean not null,
  constraint active_profiles_created PRIMARY KEY (realm_id, created_at, id) INCLUDE (not_after, device_type, authable)
) with (autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_scale_factor=0.02);
comment on table active_profiles is 'What lists search, filter and sort active profiles of users by. Kept by triggers of certificates; one that has run out stays until upkeep has seen it.';
comment on column active_profiles.id is 'Of the certificate. Without a foreign key, which would lock its row for every issuance; triggers add and remove.';
CREATE INDEX active_profiles_authable ON public.active_profiles USING btree (realm_id, created_at, id) INCLUDE (not_after, device_type) WHERE authable;
CREATE INDEX active_profiles_device ON public.active_profiles USING btree (realm_id, device_type, created_at, id) INCLUDE (not_after, authable);
CREATE INDEX active_profiles_ending ON public.active_profiles USING btree (realm_id, not_after, id) INCLUDE (created_at, device_type, authable);
CREATE INDEX active_profiles_serial ON public.active_profiles USING btree (realm_id, serial_number, id) INCLUDE (not_after, created_at, device_type, authable);
CREATE INDEX active_profiles_serial_contains ON public.active_profiles USING gin (serial_number gin_trgm_ops) WITH (gin_pending_list_limit='1024');

create table app_authorizations (
  id uuid not null,
  realm_id bigint not null,
  user_id bigint not null,
  app text not null,
  redirect_uri text not null,
  code_hash bytea not null,
  code_challenge text not null,
  code_expires_at timestamp with time zone not null,
  code_used_at timestamp with time zone,
  token_hash bytea,
  token_expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint app_authorizations_pkey PRIMARY KEY (id),
  constraint app_authorizations_code_hash_key UNIQUE (code_hash),
  constraint app_authorizations_token_hash_key UNIQUE (token_hash),
  constraint app_authorizations_id_fkey FOREIGN KEY (id) REFERENCES hand_overs(id) ON DELETE CASCADE,
  constraint app_authorizations_user_in_realm FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id) ON DELETE CASCADE,
  constraint app_authorizations_app_check CHECK (((char_length(app) >= 1) AND (char_length(app) <= 100))),
  constraint app_authorizations_code_challenge_check CHECK ((code_challenge ~ '^[A-Za-z0-9_-]{43}$'::text)),
  constraint app_authorizations_code_hash_check CHECK ((octet_length(code_hash) = 32)),
  constraint app_authorizations_redirect_uri_check CHECK ((char_length(redirect_uri) <= 100)),
  constraint app_authorizations_token_hash_check CHECK ((octet_length(token_hash) = 32)),
  constraint app_authorizations_used CHECK ((((code_used_at IS NULL) = (token_hash IS NULL)) AND ((token_hash IS NULL) = (token_expires_at IS NULL))))
);
comment on table app_authorizations is 'A person let an app fetch one file. Code and token are kept as SHA-256; both open this hand-over alone.';
comment on column app_authorizations.redirect_uri is 'As the app sent it: the token request repeats it byte for byte.';
comment on column app_authorizations.code_used_at is 'When the app got its token for the code; a second use ends the authorization.';
CREATE INDEX app_authorizations_of_user ON public.app_authorizations USING btree (user_id, created_at);

create table application_requests (
  client_id text not null,
  hour timestamp with time zone not null,
  status smallint not null,
  requests bigint not null,
  constraint application_requests_pkey PRIMARY KEY (client_id, hour, status),
  constraint application_requests_client_id_fkey FOREIGN KEY (client_id) REFERENCES applications(client_id) ON DELETE CASCADE,
  constraint application_requests_requests_check CHECK ((requests > 0)),
  constraint application_requests_status_check CHECK (((status >= 200) AND (status <= 599)))
) with (fillfactor=50);
comment on table application_requests is 'How many requests of an application the API answered, by hour and HTTP status. Every api adds to it once a minute; no person and no path is in it.';
CREATE INDEX application_requests_hour ON public.application_requests USING btree (hour);

create table application_secrets (
  secret_hash bytea not null,
  client_id text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  constraint application_secrets_pkey PRIMARY KEY (secret_hash),
  constraint application_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES applications(client_id) ON DELETE CASCADE,
  constraint application_secrets_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);
comment on table application_secrets is 'SHA-256 of client secrets, which are 256 random bits. A replaced one may overlap until it expires.';
CREATE INDEX application_secrets_of_client ON public.application_secrets USING btree (client_id);

create table applications (
  client_id text not null,
  realm_id bigint not null,
  type text not null,
  active boolean default true not null,
  name text not null,
  client_uri text not null,
  redirect_uri text,
  scopes text[] not null,
  use_client_secret boolean not null,
  require_pkce boolean default false not null,
  created_at timestamp with time zone not null,
  created_by text not null,
  last_used_at timestamp with time zone,
  first_party boolean default false not null,
  full_token_answers boolean default false not null,
  more_redirect_uris text[] default '{}'::text[] not null,
  constraint applications_pkey PRIMARY KEY (client_id),
  constraint applications_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint applications_client_id_check CHECK ((client_id ~ '^[a-zA-Z0-9_-]{1,64}$'::text)),
  constraint applications_more_redirect_uris CHECK (((cardinality(more_redirect_uris) <= 9) AND ((type = 'useragent'::text) OR (more_redirect_uris = '{}'::text[])))),
  constraint applications_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint applications_redirect_uri CHECK (((type = 'useragent'::text) = (redirect_uri IS NOT NULL))),
  constraint applications_service_gives_no_roles CHECK (((type = 'useragent'::text) OR (NOT ('role.modify'::text = ANY (scopes))))) NOT VALID,
  constraint applications_service_scopes CHECK (((type = 'useragent'::text) OR (NOT (scopes && ARRAY['openid'::text, 'offline_access'::text])))),
  constraint applications_service_secret CHECK (((type = 'useragent'::text) OR use_client_secret)),
  constraint applications_type_check CHECK ((type = ANY (ARRAY['useragent'::text, 'service'::text])))
);
comment on table applications is 'OAuth clients (RFC 6749 section 2).';
comment on column applications.first_party is 'Ours, such as the console: nobody is asked for consent.';
comment on column applications.full_token_answers is 'Whether token answers contain expires_in and scope as well.';
comment on column applications.more_redirect_uris is 'Further redirect URIs, after redirect_uri.';
CREATE INDEX applications_newest ON public.applications USING btree (realm_id, created_at DESC, client_id);

create table audit_entries (
  id bigint generated always as identity not null,
  realm_id bigint not null,
  at timestamp with time zone not null,
  event text not null,
  user_id bigint,
  client_id text,
  properties jsonb not null,
  constraint audit_entries_pkey PRIMARY KEY (id),
  constraint audit_entries_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint audit_entries_event_check CHECK ((event ~ '^[a-z]+(_[a-z]+)+$'::text)),
  constraint audit_entries_properties_check CHECK ((jsonb_typeof(properties) = 'object'::text))
) with (autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.02);
comment on table audit_entries is 'What was changed and by whom, written in the transaction of the change. Append only.';
comment on column audit_entries.user_id is 'Who acted, not whom it is about; without a foreign key, because entries outlive what they speak of.';
CREATE INDEX audit_entries_about ON public.audit_entries USING gin (audit_subjects(properties)) WITH (gin_pending_list_limit='1024');
CREATE INDEX audit_entries_by_client ON public.audit_entries USING btree (realm_id, client_id, at DESC, id DESC) WHERE (client_id IS NOT NULL);
CREATE INDEX audit_entries_by_event ON public.audit_entries USING btree (realm_id, event, at DESC, id DESC);
CREATE INDEX audit_entries_by_user ON public.audit_entries USING btree (realm_id, user_id, at DESC, id DESC) WHERE (user_id IS NOT NULL);
CREATE INDEX audit_entries_lines ON public.audit_entries USING btree (realm_id, at DESC, id DESC) WHERE (((properties ->> 'job'::text) IS NULL) OR (event = ANY (ARRAY['job_create'::text, 'job_finish'::text])));
CREATE INDEX audit_entries_newest ON public.audit_entries USING btree (realm_id, at DESC, id DESC);
CREATE INDEX audit_entries_of_jobs ON public.audit_entries USING btree (realm_id, ((properties ->> 'job'::text)), event, id) WHERE ((properties ->> 'job'::text) IS NOT NULL);
CREATE INDEX audit_entries_upstream_sign_ins ON public.audit_entries USING btree (realm_id, at) WHERE ((event = ANY (ARRAY['user_login'::text, 'admin_login'::text])) AND ((properties ->> 'method'::text) = 'upstream'::text));
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_entries_await_sealing AFTER INSERT ON public.audit_entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION await_sealing();

create table audit_exports (
  realm_id bigint not null,
  "position" bigint not null,
  at timestamp with time zone not null,
  constraint audit_exports_pkey PRIMARY KEY (realm_id),
  constraint audit_exports_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);
comment on table audit_exports is 'Until where each realm''s audit log was exported into files, and when.';

create table audit_heads (
  realm_id bigint not null,
  "position" bigint not null,
  hash bytea not null,
  sealed_at timestamp with time zone not null,
  signature text not null,
  constraint audit_heads_pkey PRIMARY KEY (realm_id, "position"),
  constraint audit_heads_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint audit_heads_hash_check CHECK ((octet_length(hash) = 32)),
  constraint audit_heads_position_check CHECK (("position" > 0))
);
comment on table audit_heads is 'Ends of chains as they were when entries were sealed, signed with a key that only workers hold. Append only.';
comment on column audit_heads.signature is 'Compact JWS (RFC 7515) over what the other columns say.';
CREATE TRIGGER audit_heads_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_heads FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table audit_seals (
  realm_id bigint not null,
  "position" bigint not null,
  entry_id bigint not null,
  hash bytea not null,
  constraint audit_seals_pkey PRIMARY KEY (realm_id, "position"),
  constraint audit_seals_entry_id_key UNIQUE (entry_id),
  constraint audit_seals_hash_check CHECK ((octet_length(hash) = 32)),
  constraint audit_seals_position_check CHECK (("position" > 0))
);
comment on table audit_seals is 'The place of each audit entry in its realm''s chain. docs/audit.md says what the hash is over. Append only.';
CREATE TRIGGER audit_seals_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table audit_unsealed (
  realm_id bigint not null,
  entry_id bigint not null,
  constraint audit_unsealed_pkey PRIMARY KEY (realm_id, entry_id)
);
comment on table audit_unsealed is 'Audit entries that have no place in their realm''s chain yet. Filled by a trigger, so that whoever records an entry waits for nothing.';

create table authorization_codes (
  code_hash bytea not null,
  session_id uuid not null,
  redirect_uri text not null,
  code_challenge text,
  nonce text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  consumed_at timestamp with time zone,
  constraint authorization_codes_pkey PRIMARY KEY (code_hash),
  constraint authorization_codes_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint authorization_codes_code_challenge_check CHECK ((code_challenge ~ '^[A-Za-z0-9_-]{43}$'::text)),
  constraint authorization_codes_code_hash_check CHECK ((octet_length(code_hash) = 32))
);
comment on table authorization_codes is 'Kept as SHA-256, and after use until the session ends, so that a replay is noticed.';
comment on column authorization_codes.code_challenge is 'S256 (RFC 7636); null when the client sent none.';
CREATE INDEX authorization_codes_of_session ON public.authorization_codes USING btree (session_id);

create table certificates (
  id bigint generated always as identity not null,
  realm_id bigint not null,
  issuer_id bigint not null,
  serial_number text collate "C" not null,
  issuance_id uuid not null,
  kind text not null,
  user_id bigint,
  guest_account_id bigint,
  name text not null,
  description text,
  device_type text,
  authable boolean default false not null,
  identity text not null,
  certificate bytea not null,
  spki_sha256 bytea not null,
  created_at timestamp with time zone not null,
  not_before timestamp with time zone not null,
  not_after timestamp with time zone not null,
  revoked_at timestamp with time zone,
  revocation_reason smallint,
  last_ocsp_at timestamp with time zone,
  lapsed boolean default false not null,
  first_ocsp_at timestamp with time zone,
  first_refused_at timestamp with time zone,
  last_other_ocsp_at timestamp with time zone,
  constraint certificates_pkey PRIMARY KEY (id),
  constraint certificates_one_per_issuance UNIQUE (issuance_id),
  constraint certificates_public_key UNIQUE (spki_sha256),
  constraint certificates_serial_number UNIQUE (serial_number, issuer_id),
  constraint certificates_guest_account_id_fkey FOREIGN KEY (guest_account_id) REFERENCES guest_accounts(id),
  constraint certificates_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id),
  constraint certificates_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint certificates_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint certificates_check CHECK ((not_after > not_before)),
  constraint certificates_device_type_check CHECK ((device_type = ANY (ARRAY['MacOS'::text, 'iOS'::text, 'iPadOS'::text, 'Android'::text, 'Windows'::text, 'Linux'::text, 'ChromeOS'::text, 'Other'::text]))),
  constraint certificates_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'guest'::text, 'infrastructure'::text]))),
  constraint certificates_owner CHECK ((((kind = 'user'::text) AND (user_id IS NOT NULL) AND (guest_account_id IS NULL)) OR ((kind = 'guest'::text) AND (user_id IS NULL) AND (guest_account_id IS NOT NULL)) OR ((kind = 'infrastructure'::text) AND (user_id IS NULL) AND (guest_account_id IS NULL)))),
  constraint certificates_revocation CHECK (((revoked_at IS NULL) = (revocation_reason IS NULL))),
  constraint certificates_revocation_reason_check CHECK ((revocation_reason = ANY (ARRAY[0, 1, 3, 4, 5, 9]))),
  constraint certificates_serial_number_check CHECK ((serial_number ~ '^[1-9][0-9]{0,47}$'::text)),
  constraint certificates_spki_sha256_check CHECK ((octet_length(spki_sha256) = 32))
) with (autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_scale_factor=0.02, fillfactor=85);
comment on table certificates is 'Profiles of all three kinds. Written by workers alone, when a certificate exists.';
comment on column certificates.certificate is 'DER.';
comment on column certificates.spki_sha256 is 'SHA-256 of the SubjectPublicKeyInfo: no key is ever certified twice.';
comment on column certificates.revoked_at is 'Set by a row in revocations, and never taken back.';
comment on column certificates.lapsed is 'Upkeep has seen that it ran out. Active ones are looked for among the others, which no longer grow with the years.';
comment on column certificates.first_ocsp_at is 'When its status was first sent. Null with last_ocsp_at set: before this was recorded.';
comment on column certificates.first_refused_at is 'When it was first sent as revoked. Null with last_ocsp_at after revoked_at: before this was recorded.';
comment on column certificates.last_other_ocsp_at is 'When somebody else than the realm''s RADIUS servers last asked. Written at most once a minute.';
CREATE INDEX certificates_active_of_guest_account ON public.certificates USING btree (guest_account_id, not_after) WHERE ((guest_account_id IS NOT NULL) AND (revoked_at IS NULL));
CREATE INDEX certificates_ended_name_contains ON public.certificates USING gin (lower(name) gin_trgm_ops) WITH (gin_pending_list_limit='1024') WHERE ((revoked_at IS NOT NULL) OR lapsed);
CREATE INDEX certificates_identity ON public.certificates USING btree (realm_id, identity text_pattern_ops);
CREATE INDEX certificates_name_contains ON public.certificates USING gin (lower(name) gin_trgm_ops) WITH (gin_pending_list_limit='1024') WHERE ((revoked_at IS NULL) AND (NOT lapsed));
CREATE INDEX certificates_newest ON public.certificates USING btree (realm_id, kind, created_at DESC, id DESC);
CREATE INDEX certificates_of_guest_account ON public.certificates USING btree (guest_account_id, created_at DESC, id DESC) WHERE (guest_account_id IS NOT NULL);
CREATE INDEX certificates_of_user ON public.certificates USING btree (user_id, created_at DESC, id DESC) WHERE (user_id IS NOT NULL);
CREATE INDEX certificates_revoked ON public.certificates USING btree (realm_id, revoked_at, id) INCLUDE (kind) WHERE (revoked_at IS NOT NULL);
CREATE INDEX certificates_revoked_ending ON public.certificates USING btree (realm_id, not_after, id) WHERE ((kind = 'user'::text) AND (revoked_at IS NOT NULL));
CREATE INDEX certificates_serial_end ON public.certificates USING btree (realm_id, reverse(serial_number) text_pattern_ops);
CREATE STATISTICS public.certificates_name_words ON lower(name) FROM certificates;
CREATE TRIGGER certificates_are_counted AFTER INSERT ON public.certificates REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_profiles();
CREATE TRIGGER certificates_become_active AFTER INSERT ON public.certificates REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_active_profiles();
CREATE TRIGGER certificates_end AFTER UPDATE OF lapsed ON public.certificates FOR EACH ROW WHEN (((old.kind = 'user'::text) AND new.lapsed)) EXECUTE FUNCTION remove_active_profile();
CREATE TRIGGER certificates_go AFTER DELETE ON public.certificates FOR EACH ROW WHEN ((old.kind = 'user'::text)) EXECUTE FUNCTION remove_active_profile();
CREATE TRIGGER certificates_note_first_checks BEFORE UPDATE OF last_ocsp_at ON public.certificates FOR EACH ROW WHEN ((((old.last_ocsp_at IS NULL) AND (new.last_ocsp_at IS NOT NULL)) OR ((old.last_ocsp_at < new.revoked_at) AND (new.last_ocsp_at >= new.revoked_at)))) EXECUTE FUNCTION note_first_checks();

create table consents (
  user_id bigint not null,
  client_id text not null,
  scopes text[] not null,
  granted_at timestamp with time zone not null,
  shown_scopes text[],
  shown_name text,
  shown_client_uri text,
  shown_redirect_uri text,
  shown_more_redirect_uris text[] default '{}'::text[] not null,
  constraint consents_pkey PRIMARY KEY (user_id, client_id),
  constraint consents_client_id_fkey FOREIGN KEY (client_id) REFERENCES applications(client_id) ON DELETE CASCADE,
  constraint consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on table consents is 'What people allowed which application.';
comment on column consents.scopes is 'As the release before reads them. What holds is shown_scopes.';
comment on column consents.shown_scopes is 'What the page listed when the person agreed. Null: of a release before, until its first use.';
comment on column consents.shown_name is 'The application as the page showed it; another name or address is asked for again.';
comment on column consents.shown_more_redirect_uris is 'Further redirect URIs that the page showed, after shown_redirect_uri.';
CREATE INDEX consents_of_client ON public.consents USING btree (client_id);

create table console_sessions (
  id uuid not null,
  token_hash bytea not null,
  realm_id bigint not null,
  user_id bigint not null,
  session_id uuid not null,
  login_id uuid not null,
  sealed_tokens bytea not null,
  access_expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  absolute_expires_at timestamp with time zone not null,
  constraint console_sessions_pkey PRIMARY KEY (id),
  constraint console_sessions_session_id_key UNIQUE (session_id),
  constraint console_sessions_token_hash_key UNIQUE (token_hash),
  constraint console_sessions_login_id_fkey FOREIGN KEY (login_id) REFERENCES logins(id) ON DELETE CASCADE,
  constraint console_sessions_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint console_sessions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint console_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint console_sessions_end CHECK ((expires_at <= absolute_expires_at)),
  constraint console_sessions_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
comment on table console_sessions is 'Browsers in which the console is open. Each ends with its OAuth session and with the browser''s login, whatever ends those.';
comment on column console_sessions.token_hash is 'SHA-256 of the cookie''s value.';
comment on column console_sessions.sealed_tokens is 'Access and refresh token, sealed under the master key: the browser never has them.';
comment on column console_sessions.expires_at is 'Moves with use, up to absolute_expires_at.';
CREATE INDEX console_sessions_expiry ON public.console_sessions USING btree (expires_at);
CREATE INDEX console_sessions_of_login ON public.console_sessions USING btree (login_id);
CREATE INDEX console_sessions_of_user ON public.console_sessions USING btree (user_id);

create table crl_listings (
  issuer_id bigint not null,
  serial_number text collate "C" not null,
  revoked_at timestamp with time zone not null,
  published_at timestamp with time zone,
  constraint crl_listings_pkey PRIMARY KEY (issuer_id, serial_number),
  constraint crl_listings_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id)
);
comment on table crl_listings is 'When the latest revocations of each issuer were published: at most 200, and until the next CRL as many of each transaction that packed entries.';
comment on column crl_listings.published_at is 'Of the first CRL with it; null: packed, and not published yet.';

create table crl_pieces (
  issuer_id bigint not null,
  id bigint generated always as identity not null,
  week integer not null,
  not_after timestamp with time zone not null,
  entries integer not null,
  der bytea not null,
  continues bigint,
  constraint crl_pieces_pkey PRIMARY KEY (issuer_id, id),
  constraint crl_pieces_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id),
  constraint crl_pieces_entries_check CHECK ((entries > 0))
) with (autovacuum_vacuum_scale_factor=0.02);
comment on table crl_pieces is 'Entries of CRLs, encoded once. A piece never changes: one that is continued is replaced by another that begins with all of it, and one whose certificates have ended goes as a whole.';
comment on column crl_pieces.week is 'In which week since 1970 its certificates end, so that they can go together.';
comment on column crl_pieces.not_after is 'When the last of its certificates ends.';
comment on column crl_pieces.der is 'Elements of revokedCertificates (RFC 5280 section 5.1), one after another.';
comment on column crl_pieces.continues is 'The piece that this one begins with, and replaces.';
-- crl_pieces.der is stored as pg_attribute.attstorage = e
CREATE INDEX crl_pieces_of_week ON public.crl_pieces USING btree (issuer_id, week, id);
CREATE TRIGGER crl_pieces_are_not_emptied BEFORE TRUNCATE ON public.crl_pieces FOR EACH STATEMENT EXECUTE FUNCTION keep_crl_entries();
CREATE TRIGGER crl_pieces_keep_entries BEFORE DELETE OR UPDATE ON public.crl_pieces FOR EACH ROW EXECUTE FUNCTION keep_crl_entries();

create table crl_requests (
  issuer_id bigint not null,
  requested_at timestamp with time zone not null,
  constraint crl_requests_pkey PRIMARY KEY (issuer_id),
  constraint crl_requests_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id)
);
comment on table crl_requests is 'An operator wants a new CRL of these issuers now.';

create table crl_unpublished (
  issuer_id bigint not null,
  id bigint generated always as identity not null,
  serial_number text collate "C" not null,
  revoked_at timestamp with time zone not null,
  reason smallint,
  not_after timestamp with time zone not null,
  constraint crl_unpublished_pkey PRIMARY KEY (issuer_id, id)
) with (autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_scale_factor=0.02);
comment on table crl_unpublished is 'Serial numbers that are to go on the CRL of their issuer. Filled by triggers, so that whoever revokes waits for nothing, and taken by whether a row is there, never by its number: one that commits late is found the next time.';
comment on column crl_unpublished.reason is 'CRLReason, RFC 5280 section 5.3.1; null for an abandoned serial number, which has none.';
CREATE TRIGGER crl_unpublished_note_listings AFTER DELETE ON public.crl_unpublished REFERENCING OLD TABLE AS taken FOR EACH STATEMENT EXECUTE FUNCTION note_listings();

create table crls (
  issuer_id bigint not null,
  number bigint not null,
  this_update timestamp with time zone not null,
  next_update timestamp with time zone not null,
  published_at timestamp with time zone default now() not null,
  entries integer not null,
  size bigint not null,
  tag text not null,
  head bytea not null,
  pieces bigint[] not null,
  tail bytea not null,
  last_piece bigint not null,
  constraint crls_pkey PRIMARY KEY (issuer_id),
  constraint crls_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id),
  constraint crls_check CHECK ((next_update > this_update)),
  constraint crls_entries_check CHECK ((entries >= 0)),
  constraint crls_number_check CHECK ((number > 0)),
  constraint crls_size_check CHECK ((size > 0))
);
comment on table crls is 'The current CRL of each issuer. Its DER is head, then the pieces in their order, then tail: publishing writes what is new, however long the list is.';
comment on column crls.number is 'CRLNumber, RFC 5280 section 5.2.3.';
comment on column crls.published_at is 'By the clock of the database, which is one for all workers.';
comment on column crls.tag is 'The entity tag of the DER, without quotes.';
comment on column crls.last_piece is 'Pieces with a higher id are not on a CRL yet.';
CREATE TRIGGER crls_note_publication AFTER INSERT OR UPDATE ON public.crls FOR EACH ROW EXECUTE FUNCTION note_publication();
CREATE TRIGGER crls_only_go_forward BEFORE DELETE OR UPDATE ON public.crls FOR EACH ROW EXECUTE FUNCTION number_crls();

create table guesses (
  key character varying(255) not null,
  points integer default 0 not null,
  expire bigint,
  constraint guesses_pkey PRIMARY KEY (key)
);
comment on table guesses is 'Wrong passwords, secrets and tokens, counted by digests of who and where from, while there is no Redis. Times in ms.';

create table guest_accounts (
  id bigint generated always as identity not null,
  realm_id bigint not null,
  name text not null,
  note text,
  profile_limit integer,
  token_hash bytea not null,
  token_sealed bytea,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  code_hash bytea,
  constraint guest_accounts_pkey PRIMARY KEY (id),
  constraint guest_accounts_in_realm UNIQUE (realm_id, id),
  constraint guest_accounts_token_hash_key UNIQUE (token_hash),
  constraint guest_accounts_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint guest_accounts_code_hash_check CHECK ((octet_length(code_hash) = 32)),
  constraint guest_accounts_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint guest_accounts_note_check CHECK ((char_length(note) <= 2000)),
  constraint guest_accounts_profile_limit_check CHECK (((profile_limit >= 0) AND (profile_limit <= 100000))),
  constraint guest_accounts_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
comment on table guest_accounts is 'Time-limited containers for guest profiles. Whoever holds the token may create profiles.';
comment on column guest_accounts.profile_limit is 'Null: unlimited.';
comment on column guest_accounts.token_sealed is 'The token under the master key, for administrators who read it again; null once the master key it was sealed under was lost. Workers may not read it.';
comment on column guest_accounts.code_hash is 'HMAC of the code under a key of its own. Null: the code was never shown.';
CREATE UNIQUE INDEX guest_accounts_code_hash ON public.guest_accounts USING btree (code_hash);
CREATE INDEX guest_accounts_newest ON public.guest_accounts USING btree (realm_id, created_at DESC, id DESC);
CREATE TRIGGER guest_accounts_stay_revoked BEFORE UPDATE OF revoked_at ON public.guest_accounts FOR EACH ROW WHEN (((old.revoked_at IS NOT NULL) AND (new.revoked_at IS NULL))) EXECUTE FUNCTION keep_guests_revoked();

create table hand_overs (
  id uuid not null,
  token_hash bytea not null,
  realm_id bigint not null,
  user_id bigint,
  guest_account_id bigint,
  device_type text not null,
  name text not null,
  format text,
  renews_serial_number text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  picked_up_at timestamp with time zone,
  picked_up_by text,
  picker_hash bytea,
  issuance_id uuid,
  offered_at timestamp with time zone,
  downloaded_at timestamp with time zone,
  claimed_at timestamp with time zone,
  code_hash bytea,
  app text,
  device_hash bytea,
  constraint hand_overs_pkey PRIMARY KEY (id),
  constraint hand_overs_issuance_id_key UNIQUE (issuance_id),
  constraint hand_overs_token_hash_key UNIQUE (token_hash),
  constraint hand_overs_guest_account_id_fkey FOREIGN KEY (guest_account_id) REFERENCES guest_accounts(id) ON DELETE CASCADE,
  constraint hand_overs_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint hand_overs_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint hand_overs_app_check CHECK (((char_length(app) >= 1) AND (char_length(app) <= 100))),
  constraint hand_overs_device_hash_check CHECK ((octet_length(device_hash) = 32)),
  constraint hand_overs_device_type_check CHECK ((device_type = ANY (ARRAY['MacOS'::text, 'iOS'::text, 'iPadOS'::text, 'Android'::text, 'Windows'::text, 'Linux'::text, 'ChromeOS'::text, 'Other'::text]))),
  constraint hand_overs_format_check CHECK ((format = ANY (ARRAY['pkcs12'::text, 'pfx'::text, 'pem'::text, 'crt'::text, 'mobileconfig'::text, 'eap-config'::text, 'onc'::text, 'networkmanager'::text, 'iwd'::text]))),
  constraint hand_overs_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint hand_overs_owner CHECK (((user_id IS NULL) <> (guest_account_id IS NULL))),
  constraint hand_overs_picked_up CHECK ((((picked_up_at IS NULL) = (issuance_id IS NULL)) AND ((picker_hash IS NULL) = ((claimed_at IS NULL) AND (picked_up_at IS NULL))) AND ((picked_up_at IS NOT NULL) OR ((offered_at IS NULL) AND (downloaded_at IS NULL))))),
  constraint hand_overs_picked_up_by_check CHECK ((char_length(picked_up_by) <= 40)),
  constraint hand_overs_picker_hash_check CHECK ((octet_length(picker_hash) = 32)),
  constraint hand_overs_renews_serial_number_check CHECK ((renews_serial_number ~ '^[1-9][0-9]{0,47}$'::text)),
  constraint hand_overs_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
comment on table hand_overs is 'Permission for one device to have one profile made. Claimed once, by the browser that is first.';
comment on column hand_overs.token_hash is 'SHA-256 of the token, which follows from the id under the master key.';
comment on column hand_overs.format is 'Null: what suits the device that picks it up.';
comment on column hand_overs.renews_serial_number is 'The profile whose place the new one takes.';
comment on column hand_overs.picked_up_at is 'When Download was tapped and the profile was asked for.';
comment on column hand_overs.picker_hash is 'SHA-256 of the cookie of the browser that claimed it: nobody else gets the file.';
comment on column hand_overs.issuance_id is 'Without a foreign key: written before the issuance, in the same transaction.';
comment on column hand_overs.offered_at is 'Written by the release before claims.';
comment on column hand_overs.downloaded_at is 'When the file was first fetched; it can be fetched for 30 minutes from then.';
comment on column hand_overs.claimed_at is 'When a browser claimed it. Null with picked_up_at set: taken by the release before claims.';
comment on column hand_overs.code_hash is 'HMAC of the short code under a key of its own. Null: made by the release before.';
comment on column hand_overs.app is 'The client_id of the app that fetches the file; null: self-service.';
comment on column hand_overs.device_hash is 'SHA-256 of the cookie by which the device is known again; null: none.';
CREATE UNIQUE INDEX hand_overs_code_hash ON public.hand_overs USING btree (code_hash);
CREATE INDEX hand_overs_expiry ON public.hand_overs USING btree (expires_at);
CREATE INDEX hand_overs_of_guest_account ON public.hand_overs USING btree (guest_account_id, expires_at) WHERE (guest_account_id IS NOT NULL);
CREATE INDEX hand_overs_of_user ON public.hand_overs USING btree (user_id, expires_at) WHERE (user_id IS NOT NULL);

create table idempotency_keys (
  scope text not null,
  key text not null,
  fingerprint bytea not null,
  result jsonb,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (scope, key),
  constraint idempotency_keys_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
  constraint idempotency_keys_key_check CHECK ((key ~ '^[!-~]{1,255}$'::text))
);
comment on table idempotency_keys is 'What a request with an Idempotency-Key did, written in the transaction that did it. Ids only, no secrets.';
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

create table installation (
  id boolean default true not null,
  minimum_migration text,
  migrated_to text,
  probed_at timestamp with time zone,
  constraint installation_pkey PRIMARY KEY (id),
  constraint installation_id_check CHECK (id)
);
comment on table installation is 'One row about the database as a whole.';
comment on column installation.minimum_migration is 'Set by a migration that takes something away, to the newest migration of the first release that did without it: code that does not know that one does not start. Null: nothing was taken away.';
comment on column installation.migrated_to is 'The newest migration of the version that migrated last, once the roles have the rights of that version; its processes begin then.';
comment on column installation.probed_at is 'When doctor last looked whether the database can be written to.';

create table installation_secrets (
  kind text not null,
  check_value bytea not null,
  public_jwk jsonb,
  added_at timestamp with time zone not null,
  constraint installation_secrets_pkey PRIMARY KEY (kind, check_value),
  constraint installation_secrets_check_value_check CHECK ((octet_length(check_value) = ANY (ARRAY[8, 32]))),
  constraint installation_secrets_kind_check CHECK ((kind = ANY (ARRAY['master'::text, 'output'::text, 'audit'::text]))),
  constraint installation_secrets_public CHECK (((kind = 'output'::text) = (public_jwk IS NOT NULL)))
);
comment on table installation_secrets is 'Check values of the secrets that all processes have alike. A process matches when one of its values is here.';
comment on column installation_secrets.check_value is 'Of the master key 8 octets of HKDF-SHA-256, of keys the RFC 7638 thumbprint.';
comment on column installation_secrets.public_jwk is 'The public half of an output key, for workers that have no file of it.';
CREATE TRIGGER installation_secrets_first BEFORE INSERT ON public.installation_secrets FOR EACH ROW EXECUTE FUNCTION first_of_its_kind();

create table issuance_outputs (
  issuance_id uuid not null,
  data_key_id uuid not null,
  sealed bytea,
  created_at timestamp with time zone not null,
  collected_at timestamp with time zone,
  job_id uuid,
  constraint issuance_outputs_pkey PRIMARY KEY (issuance_id),
  constraint issuance_outputs_data_key_id_fkey FOREIGN KEY (data_key_id) REFERENCES output_data_keys(id),
  constraint issuance_outputs_issuance_id_fkey FOREIGN KEY (issuance_id) REFERENCES issuances(id) ON DELETE CASCADE
);
comment on table issuance_outputs is 'What the requester collects: sealed so that only the API reads it, and erased soon after.';
comment on column issuance_outputs.sealed is 'Null once erased.';
comment on column issuance_outputs.job_id is 'The bulk job whose results carry this output; erased with them.';
CREATE INDEX issuance_outputs_collected ON public.issuance_outputs USING btree (collected_at) WHERE ((sealed IS NOT NULL) AND (collected_at IS NOT NULL) AND (job_id IS NULL));
CREATE INDEX issuance_outputs_of_data_key ON public.issuance_outputs USING btree (data_key_id) WHERE (sealed IS NOT NULL);
CREATE INDEX issuance_outputs_of_job ON public.issuance_outputs USING btree (job_id) WHERE ((sealed IS NOT NULL) AND (job_id IS NOT NULL));
CREATE INDEX issuance_outputs_unerased ON public.issuance_outputs USING btree (created_at) WHERE ((sealed IS NOT NULL) AND (job_id IS NULL));

create table issuances (
  id uuid not null,
  realm_id bigint not null,
  kind text not null,
  user_id bigint,
  guest_account_id bigint,
  batch_id uuid,
  batch_position integer,
  name text not null,
  description text,
  device_type text,
  format text not null,
  key_type text not null,
  csr text,
  authable boolean default false not null,
  validity_months integer not null,
  created_at timestamp with time zone not null,
  created_by_user_id bigint,
  created_by_client_id text,
  status text default 'queued'::text not null,
  failures integer default 0 not null,
  claims integer default 0 not null,
  claim_id uuid,
  lease_expires_at timestamp with time zone,
  issuer_id bigint,
  serial_number text collate "C",
  identity text,
  not_before timestamp with time zone,
  not_after timestamp with time zone,
  finished_at timestamp with time zone,
  error_code text,
  renews_certificate_id bigint,
  beyond_limit boolean default false not null,
  request_id uuid,
  error_detail text,
  device_hash bytea,
  replaced_ends_at timestamp with time zone,
  constraint issuances_pkey PRIMARY KEY (id),
  constraint issuances_guest_account_in_realm FOREIGN KEY (realm_id, guest_account_id) REFERENCES guest_accounts(realm_id, id),
  constraint issuances_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id),
  constraint issuances_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint issuances_renews_certificate_id_fkey FOREIGN KEY (renews_certificate_id) REFERENCES certificates(id),
  constraint issuances_user_in_realm FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id),
  constraint issuances_batch CHECK (((batch_id IS NULL) = (batch_position IS NULL))),
  constraint issuances_batch_position_check CHECK ((batch_position >= 0)),
  constraint issuances_csr_check CHECK ((char_length(csr) <= 16384)),
  constraint issuances_device_hash_check CHECK ((octet_length(device_hash) = 32)),
  constraint issuances_device_type_check CHECK ((device_type = ANY (ARRAY['MacOS'::text, 'iOS'::text, 'iPadOS'::text, 'Android'::text, 'Windows'::text, 'Linux'::text, 'ChromeOS'::text, 'Other'::text]))),
  constraint issuances_format_check CHECK ((format = ANY (ARRAY['pkcs12'::text, 'pfx'::text, 'pem'::text, 'crt'::text, 'mobileconfig'::text, 'eap-config'::text, 'onc'::text, 'networkmanager'::text, 'iwd'::text]))),
  constraint issuances_key_type_check CHECK ((key_type = ANY (ARRAY['ec-p256'::text, 'rsa-2048'::text, 'rsa-3072'::text]))),
  constraint issuances_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'guest'::text, 'infrastructure'::text]))),
  constraint issuances_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  constraint issuances_owner CHECK ((((kind = 'user'::text) AND (user_id IS NOT NULL) AND (guest_account_id IS NULL)) OR ((kind = 'guest'::text) AND (user_id IS NULL) AND (guest_account_id IS NOT NULL)) OR ((kind = 'infrastructure'::text) AND (user_id IS NULL) AND (guest_account_id IS NULL)))),
  constraint issuances_renewal CHECK ((((renews_certificate_id IS NULL) OR (kind = 'user'::text)) AND ((NOT beyond_limit) OR (renews_certificate_id IS NOT NULL)))),
  constraint issuances_state CHECK (
CASE status
    WHEN 'queued'::text THEN ((serial_number IS NULL) AND (claim_id IS NULL) AND (finished_at IS NULL) AND (error_code IS NULL))
    WHEN 'signing'::text THEN ((serial_number IS NOT NULL) AND (claim_id IS NOT NULL) AND (lease_expires_at IS NOT NULL) AND (issuer_id IS NOT NULL) AND (identity IS NOT NULL) AND (finished_at IS NULL) AND (error_code IS NULL))
    WHEN 'issued'::text THEN ((serial_number IS NOT NULL) AND (finished_at IS NOT NULL) AND (error_code IS NULL))
    ELSE ((finished_at IS NOT NULL) AND (error_code IS NOT NULL))
END),
  constraint issuances_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'signing'::text, 'issued'::text, 'failed'::text]))),
  constraint issuances_validity_months_check CHECK (((validity_months >= 1) AND (validity_months <= 60)))
);
comment on table issuances is 'The durable record of one creation. The queue only says that there is something to do; this row says what.';
comment on column issuances.failures is 'How often a worker tried and said that it failed. Outages do not count.';
comment on column issuances.claims is 'How often a worker began. Many more than failures: the row takes its worker down.';
comment on column issuances.claim_id is 'Which attempt holds the row; settling with another one changes nothing.';
comment on column issuances.serial_number is 'The intent: recorded before the signature exists, so that a crash leaves a serial number to account for.';
comment on column issuances.renews_certificate_id is 'The profile whose place this one takes.';
comment on column issuances.beyond_limit is 'A renewal that the owner''s limit had no room for: the old profile goes a day later at the latest.';
comment on column issuances.request_id is 'X-Request-Id of the first request for it, or that of its bulk job. For the log alone.';
comment on column issuances.error_detail is 'A sentence that names the fault of the request more closely than the code does, for the requester; null: the code is all.';
comment on column issuances.device_hash is 'SHA-256 of the cookie by which the device is known again; null: none.';
comment on column issuances.replaced_ends_at is 'When the profile that this one replaces is revoked at the earliest; null: it replaces none, or its file was never sent.';
CREATE UNIQUE INDEX issuances_batch_position ON public.issuances USING btree (batch_id, batch_position) WHERE (batch_id IS NOT NULL);
CREATE INDEX issuances_beyond_limit ON public.issuances USING btree (finished_at) WHERE beyond_limit;
CREATE INDEX issuances_failed_of_guest_account ON public.issuances USING btree (guest_account_id) WHERE ((status = 'failed'::text) AND (guest_account_id IS NOT NULL));
CREATE INDEX issuances_failed_of_realm ON public.issuances USING btree (realm_id, kind, created_at) WHERE (status = 'failed'::text);
CREATE INDEX issuances_failed_of_user ON public.issuances USING btree (user_id) WHERE ((status = 'failed'::text) AND (user_id IS NOT NULL));
CREATE INDEX issuances_in_hand ON public.issuances USING btree (claim_id) WHERE (status = 'signing'::text);
CREATE INDEX issuances_of_device ON public.issuances USING btree (user_id, device_hash) WHERE (device_hash IS NOT NULL);
CREATE INDEX issuances_renewals_of_user ON public.issuances USING btree (user_id, renews_certificate_id) WHERE (renews_certificate_id IS NOT NULL);
CREATE INDEX issuances_replaced_ends ON public.issuances USING btree (replaced_ends_at) WHERE (replaced_ends_at IS NOT NULL);
CREATE INDEX issuances_unsettled ON public.issuances USING btree (created_at) WHERE (status = ANY (ARRAY['queued'::text, 'signing'::text]));
CREATE INDEX issuances_unsettled_of_guest_account ON public.issuances USING btree (guest_account_id) WHERE ((status = ANY (ARRAY['queued'::text, 'signing'::text])) AND (guest_account_id IS NOT NULL));
CREATE INDEX issuances_unsettled_of_user ON public.issuances USING btree (user_id) WHERE (status = ANY (ARRAY['queued'::text, 'signing'::text]));

create table issuer_keys (
  issuer_id bigint not null,
  encrypted_key jsonb not null,
  constraint issuer_keys_pkey PRIMARY KEY (issuer_id),
  constraint issuer_keys_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id) ON DELETE CASCADE
);
comment on table issuer_keys is 'Private keys of issuers under the issuer key passphrase (scrypt, AES-256-GCM). Not readable by the API.';

create table issuers (
  id bigint generated always as identity not null,
  realm_id bigint not null,
  certificate bytea not null,
  chain bytea[] default '{}'::bytea[] not null,
  fingerprint bytea not null,
  subject text not null,
  not_before timestamp with time zone not null,
  not_after timestamp with time zone not null,
  issuing boolean not null,
  created_at timestamp with time zone not null,
  permitted_domains text[],
  constraint issuers_pkey PRIMARY KEY (id),
  constraint issuers_fingerprint_key UNIQUE (fingerprint),
  constraint issuers_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint issuers_check CHECK ((not_after > not_before)),
  constraint issuers_fingerprint_check CHECK ((octet_length(fingerprint) = 32))
);
comment on table issuers is 'Issuing CAs. One per realm issues; earlier ones keep publishing CRLs and OCSP answers until they end.';
comment on column issuers.certificate is 'DER.';
comment on column issuers.chain is 'DER certificates above the issuer, root last.';
comment on column issuers.fingerprint is 'SHA-256 of the certificate.';
comment on column issuers.permitted_domains is 'The domains that the certificate''s name constraints let DNS names be in; null: it has no name constraints.';
CREATE UNIQUE INDEX issuers_one_issuing ON public.issuers USING btree (realm_id) WHERE issuing;

create table job_rows (
  job_id uuid not null,
  "position" integer not null,
  input text[] not null,
  pairwise_id text,
  user_id bigint,
  email text,
  max_profiles integer,
  profile_name text,
  device_type text,
  format text,
  status text default 'pending'::text not null,
  expected text,
  error_code text,
  message text,
  issuance_id uuid,
  affected_profiles integer,
  serial_number text collate "C",
  constraint job_rows_pkey PRIMARY KEY (job_id, "position"),
  constraint job_rows_job_id_fkey FOREIGN KEY (job_id) REFERENCES jobs(id) ON DELETE CASCADE,
  constraint job_rows_affected_profiles_check CHECK ((affected_profiles >= 0)),
  constraint job_rows_error CHECK (((status <> ALL (ARRAY['changed'::text, 'unchanged'::text])) OR (error_code IS NULL))),
  constraint job_rows_expected_check CHECK ((expected = ANY (ARRAY['changed'::text, 'unchanged'::text, 'failed'::text]))),
  constraint job_rows_position_check CHECK (("position" > 0)),
  constraint job_rows_serial_number_check CHECK ((serial_number ~ '^[1-9][0-9]{0,47}$'::text)),
  constraint job_rows_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'working'::text, 'changed'::text, 'unchanged'::text, 'failed'::text, 'skipped'::text])))
) with (fillfactor=70);
comment on table job_rows is 'One person, or one profile, of a bulk job. Its final status is written in the transaction of what is done for it, so nothing is done twice.';
comment on column job_rows.position is 'Which row of the input this is, the first 1, the header not counted.';
comment on column job_rows.input is 'The cells as they were given, in the order of the job''s columns.';
comment on column job_rows.status is 'working: locked out but not yet revoked, or its profile is being issued.';
comment on column job_rows.expected is 'What the check found would become of it.';
comment on column job_rows.affected_profiles is 'Offboarding: how many active profiles the person had at the check. Revocation: 1 where the profile would be revoked.';
comment on column job_rows.serial_number is 'Revocation: of the profile. The row''s user is its owner, from the check on.';
CREATE INDEX job_rows_failed ON public.job_rows USING btree (job_id, "position") WHERE (status = 'failed'::text);
CREATE INDEX job_rows_of_user ON public.job_rows USING btree (user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX job_rows_unfinished ON public.job_rows USING btree (job_id, "position") WHERE (status = ANY (ARRAY['pending'::text, 'working'::text]));
CREATE TRIGGER job_rows_stay_finished AFTER UPDATE ON public.job_rows REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION keep_finished_job_rows();

create table jobs (
  id uuid not null,
  realm_id bigint not null,
  kind text not null,
  state text not null,
  dry_run boolean not null,
  columns text[] not null,
  created_at timestamp with time zone not null,
  created_by_user_id bigint,
  created_by_client_id text,
  execute_at timestamp with time zone,
  confirm_total integer,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  total integer default 0 not null,
  changed integer default 0 not null,
  unchanged integer default 0 not null,
  failed integer default 0 not null,
  skipped integer default 0 not null,
  expected_change integer,
  marked_at timestamp with time zone,
  cancelled_by jsonb,
  error_code text,
  revision bigint default 0 not null,
  progress_at timestamp with time zone not null,
  attended_at timestamp with time zone,
  rate_from_at timestamp with time zone,
  rate_from_done integer default 0 not null,
  rate_next_at timestamp with time zone,
  rate_next_done integer default 0 not null,
  output_erased_at timestamp with time zone,
  origin text default 'upload'::text not null,
  grace_days integer,
  revoke_at timestamp with time zone,
  undo_of uuid,
  name text,
  row_offset integer default 0 not null,
  affected_profiles integer,
  revocation_reason smallint,
  matching jsonb,
  request_id uuid,
  constraint jobs_pkey PRIMARY KEY (id),
  constraint jobs_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint jobs_add_up CHECK (((state <> ALL (ARRAY['cancelled'::text, 'completed'::text, 'completed_with_errors'::text])) OR ((((changed + unchanged) + failed) + skipped) = total))),
  constraint jobs_affected_profiles_check CHECK ((affected_profiles >= 0)),
  constraint jobs_counts CHECK (((changed >= 0) AND (unchanged >= 0) AND (failed >= 0) AND (skipped >= 0) AND ((((changed + unchanged) + failed) + skipped) <= total))),
  constraint jobs_finished CHECK (((finished_at IS NOT NULL) = (state = ANY (ARRAY['cancelled'::text, 'completed'::text, 'completed_with_errors'::text, 'failed'::text])))),
  constraint jobs_grace_days_check CHECK (((grace_days >= 1) AND (grace_days <= 30))),
  constraint jobs_kind_check CHECK ((kind = ANY (ARRAY['onboarding'::text, 'offboarding'::text, 'reactivation'::text, 'revocation'::text]))),
  constraint jobs_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  constraint jobs_origin_check CHECK ((origin = ANY (ARRAY['upload'::text, 'retry'::text, 'undo'::text, 'user'::text, 'filter'::text, 'scim'::text]))),
  constraint jobs_revocation_reason CHECK (((kind = 'revocation'::text) = (revocation_reason IS NOT NULL))),
  constraint jobs_revocation_reason_check CHECK ((revocation_reason = ANY (ARRAY[0, 1, 3, 4, 5, 9]))),
  constraint jobs_row_offset_check CHECK ((row_offset >= 0)),
  constraint jobs_state_check CHECK ((state = ANY (ARRAY['receiving'::text, 'checking'::text, 'ready'::text, 'scheduled'::text, 'queued'::text, 'running'::text, 'grace'::text, 'cancelling'::text, 'cancelled'::text, 'completed'::text, 'completed_with_errors'::text, 'failed'::text]))),
  constraint jobs_total_check CHECK ((total >= 0))
);
comment on table jobs is 'Bulk onboarding, offboarding, reactivation and revocation. Counts change in the transactions that change the rows.';
comment on column jobs.state is 'receiving: the upload is under way; nobody sees such a job, and one whose upload broke off is removed.';
comment on column jobs.columns is 'The columns of the input, in its order, under their own names.';
comment on column jobs.expected_change is 'How many people the check found that would change. Null: not checked yet.';
comment on column jobs.marked_at is 'Offboarding: when everybody was locked out; what is left is to revoke their profiles.';
comment on column jobs.cancelled_by is 'Who asked to stop it: {user, client, at}.';
comment on column jobs.revision is 'Counts every change that a watcher sees.';
comment on column jobs.progress_at is 'When something moved last: an upload that has been silent for long is given up, a running job has stalled.';
comment on column jobs.attended_at is 'When a worker last looked into it because nothing moved: one at a time does.';
comment on column jobs.rate_from_at is 'Where the window of the moving rate begins, with rate_from_done rows done then; rate_next_ is where the next window will.';
comment on column jobs.origin is 'What made it: a file or list, a retry or an undo of another job, the offboarding of one user with days of grace, all that a search and filter of a list found, or the guard of SCIM.';
comment on column jobs.grace_days is 'Offboarding: profiles are revoked so many days after everybody was locked out. Null: at once.';
comment on column jobs.revoke_at is 'Offboarding with days of grace: when profiles are revoked, from when everybody was locked out. Null in grace: held until a person confirms.';
comment on column jobs.undo_of is 'The offboarding that this reactivation takes back: it lets in those alone whom that one has locked out. No foreign key: jobs are removed after 90 days.';
comment on column jobs.name is 'What the client calls it: the name of a file, or a title.';
comment on column jobs.row_offset is 'How many rows of the file come before row 1: what is to be added to a position for the number that its author sees.';
comment on column jobs.affected_profiles is 'Offboarding and revocation: how many profiles the check found that would be revoked. Null: not checked, or another kind.';
comment on column jobs.revocation_reason is 'Revocation: CRLReason, RFC 5280 section 5.3.1.';
comment on column jobs.matching is 'Origin filter: the search and filter, {search, filter}, as the client gave them.';
comment on column jobs.request_id is 'X-Request-Id of the request that created it. For the log alone.';
CREATE UNIQUE INDEX jobs_held ON public.jobs USING btree (realm_id) WHERE ((state = 'grace'::text) AND (revoke_at IS NULL));
CREATE INDEX jobs_newest ON public.jobs USING btree (realm_id, created_at DESC, id DESC);
CREATE INDEX jobs_undoing ON public.jobs USING btree (undo_of, created_at) WHERE (undo_of IS NOT NULL);
CREATE INDEX jobs_unfinished ON public.jobs USING btree (created_at) WHERE (finished_at IS NULL);
CREATE INDEX jobs_with_output ON public.jobs USING btree (finished_at) WHERE ((finished_at IS NOT NULL) AND (output_erased_at IS NULL));
CREATE TRIGGER jobs_are_kept BEFORE DELETE ON public.jobs FOR EACH ROW WHEN (((old.state <> 'receiving'::text) AND ((old.finished_at IS NULL) OR (old.finished_at > (now() - '89 days'::interval))))) EXECUTE FUNCTION keep_finished_job();
CREATE TRIGGER jobs_stay_finished BEFORE UPDATE ON public.jobs FOR EACH ROW WHEN ((((old.finished_at IS NOT NULL) AND (old.xmin <> (pg_current_xact_id())::xid)) OR ((old.finished_at IS NULL) AND (new.finished_at < (now() - '00:10:00'::interval))))) EXECUTE FUNCTION keep_finished_job();

create table local_credentials (
  user_id bigint not null,
  realm_id bigint not null,
  username text not null,
  password_hash text,
  constraint local_credentials_pkey PRIMARY KEY (user_id),
  constraint local_credentials_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint local_credentials_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint local_credentials_username_check CHECK (((char_length(username) >= 1) AND (char_length(username) <= 255)))
);
comment on table local_credentials is 'Local sign-in, for trial and emergencies.';
comment on column local_credentials.password_hash is 'argon2id in PHC format; null: sign-in links only.';
CREATE UNIQUE INDEX local_credentials_username ON public.local_credentials USING btree (realm_id, lower(username));
CREATE TRIGGER local_credentials_keep_passwords BEFORE UPDATE OF password_hash ON public.local_credentials FOR EACH ROW EXECUTE FUNCTION keep_passwords();

create table logins (
  id uuid not null,
  token_hash bytea not null,
  realm_id bigint not null,
  user_id bigint not null,
  method text not null,
  signed_in_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint logins_pkey PRIMARY KEY (id),
  constraint logins_token_hash_key UNIQUE (token_hash),
  constraint logins_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint logins_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint logins_method_check CHECK ((method = ANY (ARRAY['local'::text, 'upstream'::text, 'link'::text]))),
  constraint logins_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
comment on table logins is 'Browsers in which somebody is signed in. The cookie''s value is kept as its SHA-256 alone.';
CREATE INDEX logins_expiry ON public.logins USING btree (expires_at);
CREATE INDEX logins_of_user ON public.logins USING btree (user_id);

create table ocsp_responders (
  issuer_id bigint not null,
  serial_number text collate "C" not null,
  worker_id uuid not null,
  public_key bytea not null,
  not_before timestamp with time zone not null,
  not_after timestamp with time zone not null,
  certificate bytea,
  created_at timestamp with time zone not null,
  constraint ocsp_responders_pkey PRIMARY KEY (serial_number, issuer_id),
  constraint ocsp_responders_public_key UNIQUE (public_key),
  constraint ocsp_responders_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id),
  constraint ocsp_responders_check CHECK ((not_after > not_before)),
  constraint ocsp_responders_serial_number_check CHECK ((serial_number ~ '^[1-9][0-9]{0,47}$'::text))
);
comment on table ocsp_responders is 'Certificates of delegated OCSP responders: all that issuers have signed besides certificates and abandoned_serial_numbers. Written before it is signed.';
comment on column ocsp_responders.worker_id is 'The process whose key it is; without a foreign key, because rows outlive processes.';
comment on column ocsp_responders.public_key is 'SubjectPublicKeyInfo, DER. The private key is in the memory of that process and nowhere else.';
comment on column ocsp_responders.certificate is 'DER; null when it was not signed, or nobody saw it signed.';
CREATE INDEX ocsp_responders_ending ON public.ocsp_responders USING btree (not_after);
CREATE TRIGGER ocsp_responders_are_kept BEFORE DELETE ON public.ocsp_responders FOR EACH ROW EXECUTE FUNCTION keep_responders();
CREATE TRIGGER ocsp_responders_are_not_emptied BEFORE TRUNCATE ON public.ocsp_responders FOR EACH STATEMENT EXECUTE FUNCTION keep_responders();

create table output_data_keys (
  id uuid not null,
  wrapped bytea not null,
  created_at timestamp with time zone not null,
  constraint output_data_keys_pkey PRIMARY KEY (id)
);
comment on table output_data_keys is 'Data keys that outputs are sealed with, each wrapped to the API''s public key.';

create table processes (
  id uuid not null,
  started_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  ocsp_url text,
  kind text not null,
  host text not null,
  pid integer not null,
  version text not null,
  migration text not null,
  clock_skew_ms integer,
  queue text,
  connections_max integer not null,
  problems jsonb default '[]'::jsonb not null,
  constraint processes_pkey PRIMARY KEY (id),
  constraint processes_kind_check CHECK ((kind = ANY (ARRAY['api'::text, 'worker'::text, 'responder'::text]))),
  constraint processes_ocsp_url_check CHECK ((ocsp_url ~ '^http://[A-Za-z0-9._:\[\]-]{1,255}$'::text)),
  constraint processes_problems_check CHECK ((jsonb_typeof(problems) = 'array'::text)),
  constraint processes_responders_answer_ocsp CHECK (((ocsp_url IS NULL) OR (kind = 'responder'::text)))
);
comment on table processes is 'A row per running api, worker and responder, refreshed every 5 s and gone after a clean stop.';
comment on column processes.seen_at is 'By the clock of the database, which is one for all processes.';
comment on column processes.ocsp_url is 'Where the responder is reached.';
comment on column processes.version is 'Of the code that the process runs.';
comment on column processes.migration is 'The newest one that this code knows.';
comment on column processes.clock_skew_ms is 'How far the clock of the process''s machine is ahead of the database''s; null: not measured.';
comment on column processes.queue is 'The start of a hash of Redis''s host, port and database, or postgres; null: the process uses no queue.';
comment on column processes.connections_max is 'The most connections to Postgres that the process opens.';
comment on column processes.problems is 'What does not work: [{code, detail, since}].';

create table profile_spans (
  realm_id bigint not null,
  shortest_days integer not null,
  longest_days integer not null,
  constraint profile_spans_pkey PRIMARY KEY (realm_id)
);
comment on table profile_spans is 'Between how many whole days from being made every active profile of a user ends: what bounds one date bounds the other.';

create table realms (
  id bigint generated always as identity not null,
  name text not null,
  display_name text not null,
  domain text not null,
  logo_uri text default ''::text not null,
  max_profiles integer default 5 not null,
  max_valid_months integer default 12 not null,
  radius_cn text,
  radius_ca text,
  key_types jsonb default '{}'::jsonb not null,
  local_sign_in boolean default false not null,
  upstream_issuer text,
  upstream_client_id text,
  upstream_client_secret bytea,
  upstream_claims jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone not null,
  offboarding_share_percent integer default 20 not null,
  ssids text[] default '{eduroam}'::text[] not null,
  help_uri text default ''::text not null,
  privacy_uri text default ''::text not null,
  infrastructure_domains text[] default '{}'::text[] not null,
  forget_after_months integer,
  set_up_at timestamp with time zone,
  time_zone text default 'UTC'::text not null,
  guest_days_max integer default 90 not null,
  guest_limit_max integer default 200 not null,
  wired boolean default false not null,
  vlan_rules jsonb default '[]'::jsonb not null,
  vlan_default text,
  upstream_kind text,
  upstream_set_by text,
  ssids_confirmed boolean default false not null,
  uploaded_logo bytea,
  uploaded_logo_type text,
  uploaded_logo_digest text generated always as (encode(sha256(uploaded_logo), 'hex'::text)) stored,
  radius_addresses inet[] default '{}'::inet[] not null,
  onboarding_apps boolean default false not null,
  apps_listing text default ''::text not null,
  radius_names text[] default '{}'::text[] not null,
  rcois text[] default '{}'::text[] not null,
  help_mail text default ''::text not null,
  help_phone text default ''::text not null,
  reminder_lead_days integer default 0 not null,
  scim_pairwise text default 'externalId'::text not null,
  new_people text default 'sign-in'::text not null,
  scim_window_from timestamp with time zone,
  scim_attributes jsonb default '[]'::jsonb not null,
  constraint realms_pkey PRIMARY KEY (id),
  constraint realms_name_key UNIQUE (name),
  constraint realms_apps_listing_check CHECK ((char_length(apps_listing) <= 200)),
  constraint realms_display_name_check CHECK (((char_length(display_name) >= 1) AND (char_length(display_name) <= 200))),
  constraint realms_domain_check CHECK (((domain = lower(domain)) AND ((char_length(domain) >= 3) AND (char_length(domain) <= 43)))),
  constraint realms_forget_after_months_check CHECK (((forget_after_months >= 1) AND (forget_after_months <= 120))),
  constraint realms_guest_days_max_check CHECK (((guest_days_max >= 1) AND (guest_days_max <= 3650))),
  constraint realms_guest_limit_max_check CHECK (((guest_limit_max >= 1) AND (guest_limit_max <= 100000))),
  constraint realms_help_mail_check CHECK ((char_length(help_mail) <= 254)),
  constraint realms_help_phone_check CHECK ((help_phone ~ '^[-0-9+()/ ]{0,40}$'::text)),
  constraint realms_help_uri_check CHECK ((char_length(help_uri) <= 2000)),
  constraint realms_infrastructure_domains CHECK (((cardinality(infrastructure_domains) <= 32) AND (COALESCE(array_ndims(infrastructure_domains), 1) = 1) AND (array_position(infrastructure_domains, NULL::text) IS NULL) AND (array_position(infrastructure_domains, ''::text) IS NULL))),
  constraint realms_key_types_check CHECK ((jsonb_typeof(key_types) = 'object'::text)),
  constraint realms_logo_uri_check CHECK ((char_length(logo_uri) <= 2000)),
  constraint realms_max_profiles_check CHECK (((max_profiles >= 0) AND (max_profiles <= 100))),
  constraint realms_max_valid_months_check CHECK (((max_valid_months >= 1) AND (max_valid_months <= 24))),
  constraint realms_name_check CHECK ((name ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'::text)),
  constraint realms_new_people_check CHECK ((new_people = ANY (ARRAY['sign-in'::text, 'scim'::text]))),
  constraint realms_offboarding_share_percent_check CHECK (((offboarding_share_percent >= 0) AND (offboarding_share_percent <= 100))),
  constraint realms_privacy_uri_check CHECK ((char_length(privacy_uri) <= 2000)),
  constraint realms_radius_addresses_check CHECK ((cardinality(radius_addresses) <= 64)),
  constraint realms_radius_cn_check CHECK (((char_length(radius_cn) >= 1) AND (char_length(radius_cn) <= 255))),
  constraint realms_radius_names CHECK (((cardinality(radius_names) <= 8) AND (COALESCE(array_ndims(radius_names), 1) = 1) AND (array_position(radius_names, NULL::text) IS NULL) AND (array_position(radius_names, ''::text) IS NULL) AND (char_length(array_to_string(radius_names, ';'::text)) <= 255))),
  constraint realms_rcois CHECK (((cardinality(rcois) <= 8) AND (COALESCE(array_ndims(rcois), 1) = 1) AND (array_position(rcois, NULL::text) IS NULL) AND (array_to_string(rcois, ','::text) ~ '^(([0-9A-F]{6}|[0-9A-F]{10})(,([0-9A-F]{6}|[0-9A-F]{10}))*)?$'::text))),
  constraint realms_reminder_lead_days_check CHECK (((reminder_lead_days >= 0) AND (reminder_lead_days <= 60))),
  constraint realms_scim_pairwise_check CHECK ((scim_pairwise = ANY (ARRAY['externalId'::text, 'userName'::text]))),
  constraint realms_ssids CHECK ((((cardinality(ssids) >= 1) AND (cardinality(ssids) <= 16)) AND (array_ndims(ssids) = 1) AND (array_position(ssids, NULL::text) IS NULL) AND (array_position(ssids, ''::text) IS NULL))),
  constraint realms_time_zone_check CHECK ((time_zone <> ''::text)),
  constraint realms_uploaded_logo CHECK (((uploaded_logo IS NULL) = (uploaded_logo_type IS NULL))),
  constraint realms_uploaded_logo_check CHECK (((octet_length(uploaded_logo) >= 1) AND (octet_length(uploaded_logo) <= 262144))),
  constraint realms_uploaded_logo_type_check CHECK ((uploaded_logo_type = ANY (ARRAY['image/png'::text, 'image/svg+xml'::text]))),
  constraint realms_upstream_claims_check CHECK ((jsonb_typeof(upstream_claims) = 'object'::text)),
  constraint realms_upstream_kind CHECK ((upstream_kind = 'oidc'::text)),
  constraint realms_upstream_set_by CHECK ((upstream_set_by = ANY (ARRAY['operator'::text, 'console'::text])))
);
comment on table realms is 'An organisation. Every other row belongs to exactly one.';
comment on column realms.domain is 'What follows the @ in identities; 43 characters, so that an identity fits a common name of 64.';
comment on column realms.max_valid_months is 'Longest validity of a user profile, in months.';
comment on column realms.radius_cn is 'The name the RADIUS server''s certificate shows; null: radius.<domain>.';
comment on column realms.radius_ca is 'PEM of the CA that issued the RADIUS server''s certificate; null: the realm''s issuing CA.';
comment on column realms.key_types is 'Device type to key type, where the realm departs from the default.';
comment on column realms.upstream_client_secret is 'Sealed under the service''s master key. Workers may not read it.';
comment on column realms.offboarding_share_percent is 'A bulk offboarding of more than this share of the active users needs its number confirmed.';
comment on column realms.ssids is 'The Wi-Fi networks that files for devices set up, by name, 1 to 32 octets each.';
comment on column realms.infrastructure_domains is 'The domains, beside its own, that DNS names of infrastructure profiles may be in; in lower case.';
comment on column realms.forget_after_months is 'People who were offboarded longer ago are forgotten; null: nobody is.';
comment on column realms.set_up_at is 'When the set-up was finished, by somebody or 30 days after the first profile of a person; then the operator alone changes whom the realm trusts.';
comment on column realms.time_zone is 'As the IANA database names it: in which times are shown on pages that cannot know the reader''s.';
comment on column realms.guest_days_max is 'How long a guest account may last that a guest manager makes.';
comment on column realms.guest_limit_max is 'How many profiles a guest account may have that a guest manager makes.';
comment on column realms.wired is 'Whether files for devices also set up wired networks (IEEE 802.1X).';
comment on column realms.vlan_rules is 'A list of {claim, value, vlan}: at a sign-in through the identity provider the first that fits gives the VLAN.';
comment on column realms.vlan_default is 'For people without another VLAN; null: the RADIUS server decides.';
comment on column realms.upstream_kind is 'The protocol of the realm''s identity provider; null: it has none.';
comment on column realms.upstream_set_by is 'Who named the identity provider; the console names one on the Internet only.';
comment on column realms.ssids_confirmed is 'Whether somebody named the networks; false: they are the default that nobody has looked at.';
comment on column realms.uploaded_logo is 'A picture that pages show instead of the one at logo_uri.';
comment on column realms.radius_addresses is 'Addresses and networks of the RADIUS servers: only they count as the device tried. Empty: every address does.';
comment on column realms.onboarding_apps is 'Whether the geteduroam apps may fetch profiles.';
comment on column realms.apps_listing is 'Under which name the apps list the realm; empty: people type the address.';
comment on column realms.radius_names is 'Names that the RADIUS servers'' certificates may show, beside radius_cn.';
comment on column realms.rcois is 'Roaming consortium identifiers of Passpoint, 6 or 10 hexadecimal digits each, the preferred one first.';
comment on column realms.help_mail is 'Where people ask for help, in files for devices; empty: none.';
comment on column realms.help_phone is 'Which number people call for help, in files for devices; empty: none.';
comment on column realms.reminder_lead_days is 'How many days before its end a profile ends for the apps, which then ask the person to sign in again.';
comment on column realms.scim_pairwise is 'The SCIM attribute whose value is the pairwise id. It stays while scim_users has people of the realm.';
comment on column realms.new_people is 'Who makes people: sign-in, the first time; or scim, the directory alone.';
comment on column realms.scim_window_from is 'When a person last confirmed what the guard had held: it counts from then on.';
comment on column realms.scim_attributes is 'A list of {claim, path}: SCIM attributes that stand for claims of the rules.';
CREATE TRIGGER realms_keep_may_use BEFORE UPDATE OF upstream_claims ON public.realms FOR EACH ROW WHEN (((old.upstream_claims ? 'mayUse'::text) AND (NOT (new.upstream_claims ? 'mayUse'::text)))) EXECUTE FUNCTION keep_may_use();
CREATE TRIGGER realms_keep_upstream_kind BEFORE UPDATE OF upstream_kind, upstream_set_by, upstream_issuer, upstream_client_id ON public.realms FOR EACH ROW EXECUTE FUNCTION keep_upstream_kind();
CREATE TRIGGER realms_scim_pairwise_stays BEFORE UPDATE OF scim_pairwise ON public.realms FOR EACH ROW WHEN ((new.scim_pairwise <> old.scim_pairwise)) EXECUTE FUNCTION keep_scim_pairwise();
CREATE TRIGGER realms_stay_set_up BEFORE UPDATE OF set_up_at ON public.realms FOR EACH ROW WHEN (((old.set_up_at IS NOT NULL) AND (new.set_up_at IS DISTINCT FROM old.set_up_at))) EXECUTE FUNCTION keep_set_up();
CREATE TRIGGER realms_trust_is_set_once BEFORE UPDATE OF radius_ca, radius_cn, radius_names, upstream_kind, upstream_set_by, upstream_issuer, upstream_client_id, upstream_client_secret, upstream_claims ON public.realms FOR EACH ROW EXECUTE FUNCTION keep_trust();

create table recent_removals (
  realm_id bigint not null,
  place smallint not null,
  slot smallint not null,
  minute timestamp with time zone not null,
  removals integer not null,
  constraint recent_removals_pkey PRIMARY KEY (realm_id, place, slot),
  constraint recent_removals_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint recent_removals_place_check CHECK (((place >= 0) AND (place <= 59))),
  constraint recent_removals_removals_check CHECK ((removals >= 0)),
  constraint recent_removals_slot_check CHECK (((slot >= 0) AND (slot <= 15)))
) with (fillfactor=50);
comment on table recent_removals is 'How many people were offboarded and profiles revoked in each minute of the last hour without a confirmed number. A minute takes the row of the minute an hour before.';
comment on column recent_removals.place is 'The minute of the hour.';
comment on column recent_removals.slot is 'Of the connection, so that those who revoke at once rarely wait for one another.';

create table refresh_tokens (
  token_hash bytea not null,
  session_id uuid not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint refresh_tokens_pkey PRIMARY KEY (token_hash),
  constraint refresh_tokens_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
  constraint refresh_tokens_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
comment on table refresh_tokens is 'SHA-256 of refresh tokens: bound to client and session, and gone with it.';
CREATE INDEX refresh_tokens_of_session ON public.refresh_tokens USING btree (session_id);

create table responder_requests (
  id bigint generated always as identity not null,
  process_id uuid not null,
  issuer_id bigint not null,
  public_key bytea not null,
  requested_at timestamp with time zone default clock_timestamp() not null,
  taken_at timestamp with time zone,
  constraint responder_requests_pkey PRIMARY KEY (id),
  constraint responder_requests_public_key UNIQUE (public_key),
  constraint responder_requests_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id),
  constraint responder_requests_public_key_check CHECK ((octet_length(public_key) = 91))
);
comment on table responder_requests is 'Keys of OCSP responders that wait for their issuer''s certificate. A worker removes the row once it has signed, or an hour later.';
comment on column responder_requests.process_id is 'The responder; without a foreign key, because it may be gone.';
comment on column responder_requests.public_key is 'SubjectPublicKeyInfo of a P-256 key, DER.';
comment on column responder_requests.taken_at is 'When a worker last took it up; another one does so 10 s later.';

create table revocations (
  certificate_id bigint not null,
  revoked_at timestamp with time zone not null,
  reason smallint not null,
  constraint revocations_pkey PRIMARY KEY (certificate_id),
  constraint revocations_certificate_id_fkey FOREIGN KEY (certificate_id) REFERENCES certificates(id),
  constraint revocations_reason_check CHECK ((reason = ANY (ARRAY[0, 1, 3, 4, 5, 9])))
);
comment on table revocations is 'What revokes: whoever may insert here may revoke, and nobody can take it back.';
comment on column revocations.reason is 'CRLReason, RFC 5280 section 5.3.1.';
CREATE TRIGGER revocations_await_publication AFTER INSERT ON public.revocations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION await_publication();
CREATE TRIGGER revocations_mark_certificates AFTER INSERT ON public.revocations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION mark_revoked();
CREATE TRIGGER revocations_notify AFTER INSERT ON public.revocations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION notify_revoked();

create table revoked_feed_readers (
  client_id text not null,
  realm_id bigint not null,
  read_at timestamp with time zone not null,
  constraint revoked_feed_readers_pkey PRIMARY KEY (client_id),
  constraint revoked_feed_readers_client_id_fkey FOREIGN KEY (client_id) REFERENCES applications(client_id) ON DELETE CASCADE,
  constraint revoked_feed_readers_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id)
);
comment on table revoked_feed_readers is 'Who asks for revocations to disconnect devices at once. Written once a minute at most.';

create table root_crls (
  root_fingerprint bytea not null,
  number bigint not null,
  this_update timestamp with time zone not null,
  next_update timestamp with time zone not null,
  entries integer not null,
  der bytea not null,
  constraint root_crls_pkey PRIMARY KEY (root_fingerprint),
  constraint root_crls_fingerprint CHECK ((octet_length(root_fingerprint) = 32)),
  constraint root_crls_period CHECK ((this_update < next_update))
);
comment on table root_crls is 'The current CRL of each root, which operators sign with the root''s key.';
comment on column root_crls.root_fingerprint is 'SHA-256 of the root''s certificate, the last of issuers.chain. Realms may share a root.';

create table scim_users (
  user_id bigint not null,
  realm_id bigint not null,
  client_id text,
  external_id text,
  user_name text not null,
  user_name_folded text generated always as (folded_id(user_name)) stored,
  email_type text,
  email_primary boolean,
  active boolean not null,
  offboarded_at timestamp with time zone,
  deleted_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  attributes jsonb default '{}'::jsonb not null,
  constraint scim_users_pkey PRIMARY KEY (user_id),
  constraint scim_users_client_id_fkey FOREIGN KEY (client_id) REFERENCES applications(client_id) ON DELETE SET NULL,
  constraint scim_users_in_realm FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id),
  constraint scim_users_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint scim_users_email_type_check CHECK (((char_length(email_type) >= 1) AND (char_length(email_type) <= 255))),
  constraint scim_users_external_id_check CHECK (((char_length(external_id) >= 1) AND (char_length(external_id) <= 255))),
  constraint scim_users_user_name_check CHECK (((char_length(user_name) >= 1) AND (char_length(user_name) <= 255)))
);
comment on table scim_users is 'People whom a directory manages over SCIM, with what it calls them. A deleted row stays: a new POST revives it.';
comment on column scim_users.client_id is 'The connection: the application that made or adopted the person. Null: it was deleted, and another one may adopt them.';
comment on column scim_users.email_type is 'As the directory sent it with the e-mail address; null: work.';
comment on column scim_users.active is 'The directory''s last word. Whether the person has access is in users.';
comment on column scim_users.offboarded_at is 'When SCIM last revoked the person''s profiles; reactivation keeps it. The guard counts it.';
comment on column scim_users.attributes is 'The values of attributes that the realm names, as sent, by path in lower case.';
CREATE INDEX scim_users_client ON public.scim_users USING btree (client_id) WHERE (client_id IS NOT NULL);
CREATE UNIQUE INDEX scim_users_external_id ON public.scim_users USING btree (realm_id, external_id) WHERE (deleted_at IS NULL);
CREATE INDEX scim_users_of_connection ON public.scim_users USING btree (realm_id, client_id, user_id) WHERE (deleted_at IS NULL);
CREATE INDEX scim_users_offboarded ON public.scim_users USING btree (realm_id, offboarded_at) WHERE (offboarded_at IS NOT NULL);
CREATE UNIQUE INDEX scim_users_user_name ON public.scim_users USING btree (realm_id, user_name_folded) WHERE (deleted_at IS NULL);

create table sessions (
  id uuid not null,
  realm_id bigint not null,
  user_id bigint not null,
  client_id text not null,
  login_id uuid,
  certificate_id bigint,
  scopes text[] not null,
  signed_in_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_certificate_id_fkey FOREIGN KEY (certificate_id) REFERENCES certificates(id),
  constraint sessions_client_id_fkey FOREIGN KEY (client_id) REFERENCES applications(client_id) ON DELETE CASCADE,
  constraint sessions_login_id_fkey FOREIGN KEY (login_id) REFERENCES logins(id) ON DELETE SET NULL,
  constraint sessions_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
comment on table sessions is 'One per authorization code that was issued: its id is the sid claim. Deleting one ends its code and its tokens.';
comment on column sessions.certificate_id is 'The profile that the person signed in with over mutual TLS.';
comment on column sessions.signed_in_at is 'When the person showed who they are: the auth_time claim.';
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_of_client ON public.sessions USING btree (client_id);
CREATE INDEX sessions_of_login ON public.sessions USING btree (login_id) WHERE (login_id IS NOT NULL);
CREATE INDEX sessions_of_user ON public.sessions USING btree (user_id, created_at DESC);

create table sign_in_drafts (
  realm_id bigint not null,
  version uuid not null,
  settings jsonb not null,
  sealed_secret bytea,
  found jsonb not null,
  updated_by bigint not null,
  expires_at timestamp with time zone not null,
  constraint sign_in_drafts_pkey PRIMARY KEY (realm_id),
  constraint sign_in_drafts_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint sign_in_drafts_user_in_realm FOREIGN KEY (realm_id, updated_by) REFERENCES users(realm_id, id),
  constraint sign_in_drafts_settings CHECK ((jsonb_typeof(settings) = 'object'::text))
);
comment on table sign_in_drafts is 'Identity providers that are set up in the console and sign nobody in yet.';
comment on column sign_in_drafts.version is 'New with each change: a test counts for the version that it tested.';
comment on column sign_in_drafts.sealed_secret is 'Sealed for sign_in_drafts/<realm_id>/sealed_secret; null: a public client.';
comment on column sign_in_drafts.found is 'Read from the provider''s own documents when the draft was stored.';

create table sign_in_links (
  token_hash bytea not null,
  user_id bigint not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  consumed_at timestamp with time zone,
  constraint sign_in_links_pkey PRIMARY KEY (token_hash),
  constraint sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint sign_in_links_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
comment on table sign_in_links is 'One-time sign-in links. Only the SHA-256 of a link''s token is kept.';
CREATE INDEX sign_in_links_expiry ON public.sign_in_links USING btree (expires_at);

create table sign_in_tests (
  id uuid not null,
  realm_id bigint not null,
  user_id bigint not null,
  draft_version uuid,
  passed boolean,
  sealed_report bytea,
  expires_at timestamp with time zone not null,
  constraint sign_in_tests_pkey PRIMARY KEY (id),
  constraint sign_in_tests_user_in_realm FOREIGN KEY (realm_id, user_id) REFERENCES users(realm_id, id) ON DELETE CASCADE,
  constraint sign_in_tests_ended CHECK (((passed IS NULL) = (sealed_report IS NULL)))
);
comment on table sign_in_tests is 'Sign-ins that sign nobody in: they show their maker what the identity provider sends.';
comment on column sign_in_tests.draft_version is 'The tested draft; null: the sign-in in use.';
comment on column sign_in_tests.passed is 'Null: it has not ended.';
comment on column sign_in_tests.sealed_report is 'Sealed for sign_in_tests/<id>/sealed_report.';
CREATE INDEX sign_in_tests_user ON public.sign_in_tests USING btree (realm_id, user_id);

create table static_tokens (
  id uuid not null,
  realm_id bigint not null,
  client_id text not null,
  token_hash bytea not null,
  name text,
  networks inet[] default '{}'::inet[] not null,
  created_at timestamp with time zone not null,
  created_by text not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint static_tokens_pkey PRIMARY KEY (id),
  constraint static_tokens_token_hash_key UNIQUE (token_hash),
  constraint static_tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES applications(client_id) ON DELETE CASCADE,
  constraint static_tokens_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint static_tokens_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint static_tokens_networks_check CHECK ((cardinality(networks) <= 64))
);
comment on table static_tokens is 'Tokens with which an application calls SCIM without asking for an access token. Only their hashes are stored.';
comment on column static_tokens.networks is 'Where calls may come from. Empty: from everywhere.';
comment on column static_tokens.last_used_at is 'Written once a minute at most.';
CREATE INDEX static_tokens_client ON public.static_tokens USING btree (client_id);

create table status_askers (
  issuer_id bigint not null,
  kind text not null,
  address inet not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  constraint status_askers_pkey PRIMARY KEY (issuer_id, kind, address),
  constraint status_askers_issuer_id_fkey FOREIGN KEY (issuer_id) REFERENCES issuers(id),
  constraint status_askers_check CHECK ((last_at >= first_at)),
  constraint status_askers_kind_check CHECK ((kind = ANY (ARRAY['ocsp'::text, 'crl'::text])))
);
comment on table status_askers is 'Where from somebody asked for the status of certificates lately, at most 64 addresses for each issuer and kind: a hint whether RADIUS servers ask at all.';
comment on column status_askers.last_at is 'Written at most once a minute.';

create table status_counts (
  realm_id bigint not null,
  hour timestamp with time zone not null,
  address inet not null,
  good bigint not null,
  refused bigint not null,
  last_at timestamp with time zone not null,
  constraint status_counts_pkey PRIMARY KEY (realm_id, hour, address),
  constraint status_counts_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint status_counts_check CHECK (((good >= 0) AND (refused >= 0))),
  constraint status_counts_hour_check CHECK (((EXTRACT(epoch FROM hour) % (3600)::numeric) = (0)::numeric))
) with (fillfactor=50);
comment on table status_counts is 'How often servers asked about devices by OCSP, by hour and address. Responders add to it once a minute; a device is in none of its rows.';
comment on column status_counts.address is '::, for addresses beyond those that a responder counts one by one.';
comment on column status_counts.good is 'Answers that a certificate is good.';
comment on column status_counts.refused is 'Answers that a certificate is revoked.';
CREATE INDEX status_counts_hour ON public.status_counts USING btree (hour);

create table token_signing_keys (
  kid text not null,
  algorithm text not null,
  public_jwk jsonb not null,
  sealed_key bytea,
  state text not null,
  created_at timestamp with time zone not null,
  published_at timestamp with time zone not null,
  activated_at timestamp with time zone,
  retired_at timestamp with time zone,
  tokens_expire_at timestamp with time zone,
  constraint token_signing_keys_pkey PRIMARY KEY (kid),
  constraint token_signing_keys_algorithm_check CHECK ((algorithm = ANY (ARRAY['ES256'::text, 'RS256'::text]))),
  constraint token_signing_keys_private CHECK (((sealed_key IS NOT NULL) OR (state = 'retired'::text))),
  constraint token_signing_keys_state_check CHECK ((state = ANY (ARRAY['next'::text, 'current'::text, 'retired'::text])))
);
comment on table token_signing_keys is 'Keys that sign tokens, never certificates. The private half is sealed under the service''s master key.';
comment on column token_signing_keys.kid is 'RFC 7638 thumbprint.';
comment on column token_signing_keys.sealed_key is 'The private half under the master key; null once retired.';
comment on column token_signing_keys.tokens_expire_at is 'The latest expiry of a token that lives longer than usual: guests'' tokens.';
CREATE UNIQUE INDEX token_signing_keys_one_current ON public.token_signing_keys USING btree (algorithm) WHERE (state = 'current'::text);
CREATE UNIQUE INDEX token_signing_keys_one_next ON public.token_signing_keys USING btree (algorithm) WHERE (state = 'next'::text);

create table upstream_attempts (
  token_hash bytea not null,
  realm_id bigint not null,
  sealed bytea,
  expires_at timestamp with time zone not null,
  constraint upstream_attempts_pkey PRIMARY KEY (token_hash),
  constraint upstream_attempts_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint upstream_attempts_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
comment on table upstream_attempts is 'Sign-ins whose answer from the identity provider was verified, so that each counts once.';
comment on column upstream_attempts.token_hash is 'SHA-256 of the state.';
comment on column upstream_attempts.sealed is 'Of earlier versions: what the browser has in its cookie now.';
CREATE INDEX upstream_attempts_expiry ON public.upstream_attempts USING btree (expires_at);

create table upstream_identities (
  realm_id bigint not null,
  issuer text not null,
  subject text not null,
  user_id bigint not null,
  created_at timestamp with time zone not null,
  constraint upstream_identities_pkey PRIMARY KEY (realm_id, issuer, subject),
  constraint upstream_identities_one_per_user UNIQUE (user_id, issuer),
  constraint upstream_identities_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint upstream_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint upstream_identities_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255)))
);
comment on table upstream_identities is 'Who people are at the realm''s identity provider. Never an e-mail address: those are given to someone else.';

create table user_notes (
  user_id bigint not null,
  realm_id bigint not null,
  note text not null,
  written_at timestamp with time zone not null,
  constraint user_notes_pkey PRIMARY KEY (user_id),
  constraint user_notes_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint user_notes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint user_notes_note_check CHECK (((char_length(note) >= 1) AND (char_length(note) <= 500)))
);
comment on table user_notes is 'Notes of staff about people. The audit log has who wrote and when, never the text.';

create table user_profile_counts (
  user_id bigint not null,
  realm_id bigint not null,
  profile_count integer default 0 not null,
  constraint user_profile_counts_pkey PRIMARY KEY (user_id),
  constraint user_profile_counts_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint user_profile_counts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
) with (autovacuum_analyze_scale_factor=0.02, autovacuum_vacuum_scale_factor=0.02, fillfactor=80);
comment on table user_profile_counts is 'How many active profiles each user has, for sorting and filtering by it; up to half a minute late with those that run out.';
CREATE INDEX user_profile_counts_sorted ON public.user_profile_counts USING btree (realm_id, profile_count, user_id);

create table user_vlans (
  user_id bigint not null,
  realm_id bigint not null,
  given text,
  from_provider text,
  constraint user_vlans_pkey PRIMARY KEY (user_id),
  constraint user_vlans_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint user_vlans_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint user_vlans_any CHECK (((given IS NOT NULL) OR (from_provider IS NOT NULL)))
);
comment on table user_vlans is 'People whose devices get another VLAN than the realm''s default.';
comment on column user_vlans.given is 'Set by hand; counts before the other.';
comment on column user_vlans.from_provider is 'By the realm''s rules, at the latest sign-in.';
CREATE INDEX user_vlans_realm ON public.user_vlans USING btree (realm_id, user_id);

create table users (
  id bigint generated always as identity not null,
  realm_id bigint not null,
  pairwise_id text not null,
  email text default ''::text not null,
  display_name text,
  administrator boolean default false not null,
  profile_override integer default 0 not null,
  locked_at timestamp with time zone,
  offboarded_at timestamp with time zone,
  created_at timestamp with time zone not null,
  pairwise_id_folded text generated always as (lower(pairwise_id)) stored,
  email_folded text generated always as (lower(email)) stored,
  offboarding_job_id uuid,
  forgotten_at timestamp with time zone,
  roles text[] default '{}'::text[] not null,
  provider_roles text[] default '{}'::text[] not null,
  twin smallint default 0 not null,
  not_permitted_since timestamp with time zone,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_in_realm UNIQUE (realm_id, id),
  constraint users_realm_id_pairwise_id_key UNIQUE (realm_id, pairwise_id),
  constraint users_realm_id_fkey FOREIGN KEY (realm_id) REFERENCES realms(id),
  constraint users_display_name_check CHECK ((char_length(display_name) <= 200)),
  constraint users_email_check CHECK ((char_length(email) <= 320)),
  constraint users_forgotten CHECK (((forgotten_at IS NULL) OR ((offboarded_at IS NOT NULL) AND (email = ''::text) AND (display_name IS NULL) AND (pairwise_id = (chr(127) || id))))),
  constraint users_known_roles CHECK (((roles || provider_roles) <@ ARRAY['administrator'::text, 'help_desk'::text, 'guest_manager'::text, 'auditor'::text])) NOT VALID,
  constraint users_pairwise_id_check CHECK (((char_length(pairwise_id) >= 1) AND (char_length(pairwise_id) <= 255))),
  constraint users_profile_override_check CHECK (((profile_override >= 0) AND (profile_override <= 100)))
);
comment on table users is 'The people of a realm. No row is ever deleted: an offboarded person must not come back as a new one before they are forgotten.';
comment on column users.pairwise_id is 'The pseudonymous identifier that the realm knows the person by.';
comment on column users.administrator is 'Whether one of the roles is administrator, for the release before roles; a trigger keeps it so.';
comment on column users.profile_override is 'The person''s own profile limit; 0: the realm''s.';
comment on column users.locked_at is 'Locked people keep their profiles and sign in, but get no new profile.';
comment on column users.offboarded_at is 'Offboarded people cannot sign in, and all their profiles are revoked.';
comment on column users.offboarding_job_id is 'The bulk job that offboarded this person and may revoke their profiles. Null once somebody else has decided about them. No foreign key: jobs are removed after 90 days.';
comment on column users.forgotten_at is 'When what names this person was erased. The pairwise id is then a DEL character and the id, which no person can have.';
comment on column users.roles is 'Given here. What the person may do is what these and provider_roles let them do together.';
comment on column users.provider_roles is 'Given by the identity provider, at the latest sign-in through it.';
comment on column users.twin is 'Counts the people whose ids differ in letter case or in Unicode form alone, the first 0: there are others only from before such ids were refused.';
comment on column users.not_permitted_since is 'When a sign-in was first refused since the identity provider says that the person may not use the realm; null: they may. Profiles and sessions stay.';
CREATE INDEX users_administrators ON public.users USING btree (realm_id, id) WHERE (('administrator'::text = ANY ((roles || provider_roles))) AND (offboarded_at IS NULL));
CREATE INDEX users_display_name_contains ON public.users USING gin (lower(display_name) gin_trgm_ops) WHERE (display_name IS NOT NULL);
CREATE INDEX users_email ON public.users USING btree (realm_id, email_folded);
CREATE INDEX users_email_contains ON public.users USING gin (email_folded gin_trgm_ops);
CREATE UNIQUE INDEX users_folded_id ON public.users USING btree (realm_id, folded_id(pairwise_id), twin);
CREATE INDEX users_locked ON public.users USING btree (realm_id, locked_at, id);
CREATE INDEX users_locked_last ON public.users USING btree (realm_id, locked_at DESC NULLS LAST, id DESC);
CREATE INDEX users_newest ON public.users USING btree (realm_id, created_at DESC, id DESC);
CREATE INDEX users_not_permitted ON public.users USING btree (realm_id, id) WHERE (not_permitted_since IS NOT NULL);
CREATE INDEX users_offboarded ON public.users USING btree (realm_id, offboarded_at, id);
CREATE INDEX users_offboarded_last ON public.users USING btree (realm_id, offboarded_at DESC NULLS LAST, id DESC);
CREATE INDEX users_pairwise_id_contains ON public.users USING gin (pairwise_id_folded gin_trgm_ops);
CREATE INDEX users_with_roles ON public.users USING btree (realm_id, id) WHERE ((roles || provider_roles) <> '{}'::text[]);
CREATE STATISTICS public.users_display_name_words ON lower(display_name) FROM users;
CREATE TRIGGER users_administrator BEFORE UPDATE OF administrator, roles, provider_roles ON public.users FOR EACH ROW EXECUTE FUNCTION keep_administrator();
CREATE TRIGGER users_administrator_of_new BEFORE INSERT ON public.users FOR EACH ROW WHEN ((new.administrator OR (new.roles <> '{}'::text[]) OR (new.provider_roles <> '{}'::text[]))) EXECUTE FUNCTION keep_administrator();
CREATE TRIGGER users_are_offboarded_now BEFORE UPDATE OF offboarded_at ON public.users FOR EACH ROW WHEN (((new.offboarded_at IS DISTINCT FROM old.offboarded_at) AND (new.offboarded_at < (now() - '00:10:00'::interval)))) EXECUTE FUNCTION keep_offboarding_date();
CREATE TRIGGER users_change_sides_without_roles BEFORE UPDATE OF offboarded_at ON public.users FOR EACH ROW WHEN ((((old.offboarded_at IS NULL) <> (new.offboarded_at IS NULL)) AND ((new.roles <> '{}'::text[]) OR (new.provider_roles <> '{}'::text[])))) EXECUTE FUNCTION end_roles();
CREATE TRIGGER users_forget_note AFTER UPDATE OF forgotten_at ON public.users FOR EACH ROW WHEN ((new.forgotten_at IS NOT NULL)) EXECUTE FUNCTION forget_note();
CREATE TRIGGER users_forget_sign_in_tests AFTER UPDATE OF forgotten_at ON public.users FOR EACH ROW WHEN ((new.forgotten_at IS NOT NULL)) EXECUTE FUNCTION forget_sign_in_tests();
CREATE TRIGGER users_forget_vlan AFTER UPDATE OF forgotten_at ON public.users FOR EACH ROW WHEN ((new.forgotten_at IS NOT NULL)) EXECUTE FUNCTION forget_vlan();
CREATE TRIGGER users_have_profile_counts AFTER INSERT ON public.users REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_profile_counts();
CREATE TRIGGER users_keep_an_administrator AFTER UPDATE OF administrator, roles, provider_roles, offboarded_at ON public.users FOR EACH ROW WHEN (((old.offboarded_at IS NULL) AND ('administrator'::text = ANY ((old.roles || old.provider_roles))) AND ((new.offboarded_at IS NOT NULL) OR (NOT ('administrator'::text = ANY ((new.roles || new.provider_roles))))) AND (NOT pg_has_role(CURRENT_USER, 'realmpass_operator'::name, 'usage'::text)))) EXECUTE FUNCTION keep_an_administrator();
CREATE TRIGGER users_pairwise_id_stays BEFORE UPDATE OF pairwise_id ON public.users FOR EACH ROW WHEN (((new.pairwise_id <> old.pairwise_id) AND (new.forgotten_at IS NULL))) EXECUTE FUNCTION keep_pairwise_id();
CREATE TRIGGER users_stay_offboarded BEFORE UPDATE OF offboarded_at ON public.users FOR EACH ROW WHEN (((old.offboarded_at IS NOT NULL) AND (new.offboarded_at IS NULL))) EXECUTE FUNCTION keep_offboarded();

CREATE OR REPLACE FUNCTION public.add_active_profiles()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into active_profiles (id, realm_id, serial_number, created_at, not_after, device_type, authable)
  select id, realm_id, serial_number, created_at, not_after, device_type, authable
    from added
   where kind = 'user' and revoked_at is null and not lapsed;

  insert into profile_spans (realm_id, shortest_days, longest_days)
  select realm_id, shortest, longest
    from (select realm_id, floor(min(extract(epoch from not_after - created_at)) / 86400) as shortest,
                 ceil(max(extract(epoch from not_after - created_at)) / 86400) as longest
            from added
           where kind = 'user'
           group by realm_id) as spans
   where not exists (select from profile_spans s
                      where s.realm_id = spans.realm_id
                        and s.shortest_days <= spans.shortest
                        and s.longest_days >= spans.longest)
   order by realm_id
      on conflict (realm_id) do update
     set shortest_days = least(profile_spans.shortest_days, excluded.shortest_days),
         longest_days = greatest(profile_spans.longest_days, excluded.longest_days);
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.add_profile_counts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into user_profile_counts (user_id, realm_id) select id, realm_id from added order by id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.analyze_grown_users()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if pg_relation_size('users') < 4 * 8192 * (select greatest(relpages, 1)::bigint from pg_class where oid = 'users'::regclass)
     or not pg_try_advisory_xact_lock(7246731) then
    return false;
  end if;
  analyze users;
  return true;
end
$function$
;
comment on function analyze_grown_users() is 'Gives the planner statistics of a table of people that is four times as large as when it was last looked at. Plans that were made while it was almost empty, also those of foreign keys, read through everybody for each row; all sessions drop them with this.';

CREATE OR REPLACE FUNCTION public.audit_serials(properties jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select array(select 'profile:' || serial
                 from jsonb_array_elements_text(
                        case jsonb_typeof(properties -> 'serials') when 'array' then properties -> 'serials' end)
                   as serial)
$function$
;
comment on function audit_serials(jsonb) is 'The profiles of an audit entry that is about several.';

CREATE OR REPLACE FUNCTION public.audit_subjects(properties jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (array_remove(ARRAY[('user:'::text || (properties ->> 'userID'::text)), ('user:'::text || (properties ->> 'user'::text)), ('profile:'::text || (properties ->> 'serial'::text)), ('guest:'::text || (properties ->> 'guestAccountID'::text)), ('guest:'::text || (properties ->> 'guestAccount'::text)), ('application:'::text || (properties ->> 'clientID'::text))], NULL::text) || CASE WHEN (properties ? 'serials'::text) THEN audit_serials(properties) ELSE '{}'::text[] END)
;
comment on function audit_subjects(jsonb) is 'Whom and what an audit entry is about, by its properties; jobs are left out, because their results tell it better.';

CREATE OR REPLACE FUNCTION public.await_publication()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  insert into crl_unpublished (issuer_id, serial_number, revoked_at, reason, not_after)
  select c.issuer_id, c.serial_number, added.revoked_at, added.reason, c.not_after
    from added
    join certificates c on c.id = added.certificate_id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.await_publication_of_abandoned()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into crl_unpublished (issuer_id, serial_number, revoked_at, not_after)
  select issuer_id, serial_number, abandoned_at, not_after from added;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.await_sealing()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into audit_unsealed (realm_id, entry_id) select realm_id, id from added;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.count_profiles()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  with more as (
    select user_id, count(*) as profiles
      from added
     where kind = 'user'
       and revoked_at is null
       and not lapsed
     group by user_id
  ), held as materialized (
    select p.user_id, more.profiles
      from user_profile_counts p
      join more on more.user_id = p.user_id
     order by p.user_id
       for no key update of p
  )
  update user_profile_counts p
     set profile_count = p.profile_count + held.profiles
    from held
   where p.user_id = held.user_id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.end_roles()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.roles := '{}';
  new.provider_roles := '{}';
  new.administrator := false;
  return new;
end
$function$
;
comment on function end_roles() is 'Takes all roles from a person who is offboarded or comes back. Roles from the identity provider return with the next sign-in through it.';

CREATE OR REPLACE FUNCTION public.end_sign_ins(user_ids bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  delete from sessions where user_id = any(user_ids);
  delete from logins where user_id = any(user_ids);
  delete from access_tokens where user_id = any(user_ids);
  delete from sign_in_links where user_id = any(user_ids);
  delete from app_authorizations where user_id = any(user_ids);
end
$function$
;
comment on function end_sign_ins(bigint[]) is 'Ends everything that users are signed in to. Workers may call it, who can read no token.';

CREATE OR REPLACE FUNCTION public.first_of_its_kind()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if pg_has_role(current_user, 'realmpass_operator', 'usage') then
    return new;
  end if;
  -- One at a time: of two processes that add the first at once, the second sees what the first has added.
  perform pg_advisory_xact_lock(7246712);
  if exists (select from installation_secrets where kind = new.kind and check_value <> new.check_value) then
    raise exception 'only the operator adds another secret of a kind' using errcode = 'insufficient_privilege';
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.folded_id(id text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (octet_length(id) = char_length(id)) THEN lower((id COLLATE "C")) ELSE folded_id_beyond_ascii(id) END
;
comment on function folded_id(text) is 'What all spellings of a person''s id have in common: without letter case (simple case folding) and format characters, in Unicode NFC. The same whatever the locale of the database, and the same as foldId in domain/people/pairwise-id.ts.';

CREATE OR REPLACE FUNCTION public.folded_id_beyond_ascii(id text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
begin
  return normalize(translate(lower(normalize(id, nfc) collate "C"), 'abcdefghijklmnopqrstuvwxyz0123456789@.-_μàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǉǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳȼƚɂƀʉʌɇɉɋɍɏιͱͳͷϳάέήίόύώαβγδεζηθκλνξοπρστυφχψωϊϋϗϙϛϝϟϡϣϥϧϩϫϭϯϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿßɫɽɑɱɐɒȿɀɥɦɜɡɬɪʞʇʝʂɤƛµÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽſƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎͅͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϐϑϕϖϘϚϜϞϠϢϤϦϨϪϬϮϰϱϴϵϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲᏳᏴᏵᲀᲁᲂᲃᲄᲅᲆᲇᲈᲉᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẛẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺΆᾼιῈΈῊΉῌῘῙῚΊῨῩῪΎῬῸΌῺΏῼΩKÅℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜꟵＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𐵐𐵑𐵒𐵓𐵔𐵕𐵖𐵗𐵘𐵙𐵚𐵛𐵜𐵝𐵞𐵟𐵠𐵡𐵢𐵣𐵤𐵥𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𖺠𖺡𖺢𖺣𖺤𖺥𖺦𖺧𖺨𖺩𖺪𖺫𖺬𖺭𖺮𖺯𖺰𖺱𖺲𖺳𖺴𖺵𖺶𖺷𖺸𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡­؀؁؂؃؄؅؜۝܏࢐࢑࣢᠎​‌‍‎‏‪‫‬‭‮⁠⁡⁢⁣⁤⁦⁧⁨⁩⁪⁫⁬⁭⁮⁯﻿￹￺￻𑂽𑃍𓐰𓐱𓐲𓐳𓐴𓐵𓐶𓐷𓐸𓐹𓐺𓐻𓐼𓐽𓐾𓐿𛲠𛲡𛲢𛲣𝅳𝅴𝅵𝅶𝅷𝅸𝅹𝅺󠀁󠀠󠀡󠀢󠀣󠀤󠀥󠀦󠀧󠀨󠀩󠀪󠀫󠀬󠀭󠀮󠀯󠀰󠀱󠀲󠀳󠀴󠀵󠀶󠀷󠀸󠀹󠀺󠀻󠀼󠀽󠀾󠀿󠁀󠁁󠁂󠁃󠁄󠁅󠁆󠁇󠁈󠁉󠁊󠁋󠁌󠁍󠁎󠁏󠁐󠁑󠁒󠁓󠁔󠁕󠁖󠁗󠁘󠁙󠁚󠁛󠁜󠁝󠁞󠁟󠁠󠁡󠁢󠁣󠁤󠁥󠁦󠁧󠁨󠁩󠁪󠁫󠁬󠁭󠁮󠁯󠁰󠁱󠁲󠁳󠁴󠁵󠁶󠁷󠁸󠁹󠁺󠁻󠁼󠁽󠁾󠁿', 'abcdefghijklmnopqrstuvwxyz0123456789@.-_μàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǉǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳȼƚɂƀʉʌɇɉɋɍɏιͱͳͷϳάέήίόύώαβγδεζηθκλνξοπρστυφχψωϊϋϗϙϛϝϟϡϣϥϧϩϫϭϯϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿßɫɽɑɱɐɒȿɀɥɦɜɡɬɪʞʇʝʂɤƛμàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžsɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏιͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋσϗβθφπϙϛϝϟϡϣϥϧϩϫϭϯκρθεϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺᏻᏼᏽвдосттъѣꙋᲊაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕṡßạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰάᾳιὲέὴήῃῐῑὶίῠῡὺύῥὸόὼώῳωkåⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊɤꟍ꟏ꟑꟓꟕꟗꟙꟛƛꟶａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𐵰𐵱𐵲𐵳𐵴𐵵𐵶𐵷𐵸𐵹𐵺𐵻𐵼𐵽𐵾𐵿𐶀𐶁𐶂𐶃𐶄𐶅𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𖺻𖺼𖺽𖺾𖺿𖻀𖻁𖻂𖻃𖻄𖻅𖻆𖻇𖻈𖻉𖻊𖻋𖻌𖻍𖻎𖻏𖻐𖻑𖻒𖻓𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃'), nfc);
end
$function$
;
comment on function folded_id_beyond_ascii(text) is 'The part of folded_id for ids that are not all ASCII.';

CREATE OR REPLACE FUNCTION public.forget_note()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from user_notes where user_id = new.id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.forget_sign_in_tests()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from sign_in_tests where realm_id = new.realm_id and user_id = new.id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.forget_users(user_ids bigint[], at timestamp with time zone)
 RETURNS bigint[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET plan_cache_mode TO 'force_custom_plan'
AS $function$
declare
  due bigint[];
  realm_ids bigint[];
  pairwise_ids text[];
  folded_ids text[];
  next_of_twins bigint[];
  known text[];
begin
  -- Judged here, too: who may call this forgets nobody before their time, and a clock that is ahead changes nothing.
  due := array(
    select u.id
      from users u
      join realms r on r.id = u.realm_id
     where u.id = any(user_ids)
       and u.forgotten_at is null
       and u.offboarded_at <= least(at, clock_timestamp()) - make_interval(months => r.forget_after_months)
       and not exists (select from certificates c
                        where c.user_id = u.id
                          and c.revoked_at is null
                          and c.not_after > least(at, clock_timestamp()))
       and not exists (select from issuances i where i.user_id = u.id and i.status in ('queued', 'signing'))
     order by u.id
       for no key update of u);
  if cardinality(due) = 0 then
    return due;
  end if;
  realm_ids := array(select distinct realm_id from users where id = any(due));
  pairwise_ids := array(select pairwise_id from users where id = any(due));
  folded_ids := array(select folded_id(pairwise_id) from users where id = any(due));
  -- Who stays behind alone is nobody's twin: the id would be free for a new one.
  next_of_twins := array(
    select distinct on (t.realm_id, folded_id(t.pairwise_id)) t.id
      from users u
      join users t on t.realm_id = u.realm_id and folded_id(t.pairwise_id) = folded_id(u.pairwise_id)
     where u.id = any(due)
       and u.twin = 0
       and t.id <> all(due)
     order by t.realm_id, folded_id(t.pairwise_id), t.twin);
  known := array(
    select distinct lower(btrim(value))
      from (select unnest(array[pairwise_id, email]) from users where id = any(due)
            union all
            select unnest(array[user_name, external_id]) from scim_users where user_id = any(due)
            union all
            select subject from upstream_identities where user_id = any(due)) as found (value)
     where btrim(value) <> '');

  perform end_sign_ins(due);
  delete from consents where user_id = any(due);
  delete from hand_overs where user_id = any(due);
  delete from upstream_identities where user_id = any(due);
  delete from local_credentials where user_id = any(due);
  delete from scim_users where user_id = any(due);

  update issuances
     set name = '-', description = null, csr = null
   where id in (select issuance_id from certificates where user_id = any(due)
                union all
                select id from issuances where user_id = any(due) and status = 'failed');
  update certificates set name = '-', description = null where user_id = any(due);

  update job_rows r
     set input = array_fill(null::text, array[cardinality(r.input)]),
         pairwise_id = null, email = null, profile_name = null, serial_number = null,
         error_code = case when r.status = 'failed' or r.error_code = 'internal_error' then 'user_forgotten' else r.error_code end,
         message = null
    from jobs j
   where j.realm_id = any(realm_ids)
     and r.job_id = j.id
     and r.status not in ('pending', 'working')
     and (r.user_id = any(due)
          or r.pairwise_id = any(pairwise_ids)
          or (r.user_id is null and folded_id(r.pairwise_id) = any(folded_ids))
          -- A row that was never found to be about anybody may be about them all the same.
          or (r.user_id is null
              and exists (select
                            from unnest(r.input || array[r.pairwise_id, r.email]) as cell
                           where lower(btrim(cell)) = any(known))));

  update users
     set email = '', display_name = null, pairwise_id = chr(127) || id, forgotten_at = at, offboarding_job_id = null
   where id = any(due);
  update users set twin = 0 where id = any(next_of_twins);
  return due;
end
$function$
;
comment on function forget_users(bigint[],timestamp with time zone) is 'Erases what names users whose time is up, and answers which those are. Workers call it, who may not read all of what it erases.';

CREATE OR REPLACE FUNCTION public.forget_vlan()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from user_vlans where user_id = new.id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_administrator()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- The release before roles writes this column alone.
  if tg_op = 'INSERT' then
    if new.administrator and not 'administrator' = any(new.roles || new.provider_roles) then
      new.roles := new.roles || 'administrator'::text;
    end if;
  elsif new.administrator <> old.administrator and new.roles = old.roles and new.provider_roles = old.provider_roles then
    new.roles := array_remove(new.roles, 'administrator');
    new.provider_roles := array_remove(new.provider_roles, 'administrator');
    if new.administrator then new.roles := new.roles || 'administrator'::text; end if;
  end if;
  new.administrator := 'administrator' = any(new.roles || new.provider_roles);
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_an_administrator()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- One after the other, so that of two who leave at the same moment the second sees that the first has left.
  perform from realms where id = new.realm_id for no key update;
  if not exists (select from users
                  where realm_id = new.realm_id
                    and offboarded_at is null
                    and 'administrator' = any(roles || provider_roles)) then
    raise exception 'a realm keeps an administrator'
      using errcode = 'check_violation', constraint = 'users_keep_an_administrator',
            schema = tg_table_schema, table = tg_table_name;
  end if;
  return null;
end
$function$
;
comment on function keep_an_administrator() is 'Refuses to let the last administrator of a realm go. The operator may.';

CREATE OR REPLACE FUNCTION public.keep_crl_entries()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'DELETE' then
    if exists (select
                 from crl_pieces
                where issuer_id = old.issuer_id
                  and week = old.week
                  and id > old.id
                  and continues = old.id
                  and entries >= old.entries
                  and substr(der, 1, octet_length(old.der)) = old.der)
       or exists (select
                    from crls
                   where issuer_id = old.issuer_id
                     and last_piece >= old.id
                     and this_update > old.not_after) then
      return old;
    end if;
  end if;
  raise exception 'an entry of a CRL is never taken back' using errcode = 'insufficient_privilege';
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_finished_job()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  -- What changes after the end: outputs are erased, and a worker that is late says that it was there.
  changing constant text[] := '{output_erased_at,progress_at,attended_at}';
begin
  if pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    return case tg_op when 'DELETE' then old else new end;
  end if;
  if tg_op = 'UPDATE' then
    if old.finished_at is null then
      raise exception 'the end of a job is not dated back'
        using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
    end if;
    if to_jsonb(new) - changing = to_jsonb(old) - changing
       and (old.output_erased_at is null or new.output_erased_at is not distinct from old.output_erased_at) then
      return new;
    end if;
  end if;
  raise exception 'a job that has ended stays as it is'
    using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_finished_job_rows()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (select
               from (select distinct job_id from before) b
              cross join lateral (select from jobs where id = b.job_id and finished_at is not null offset 0) j)
     and not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    raise exception 'the rows of a job that has ended stay as they are'
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return null;
end
$function$
;
comment on function keep_finished_job_rows() is 'Asks once for each statement: bulk jobs change 1,000 rows at a time.';

CREATE OR REPLACE FUNCTION public.keep_guests_revoked()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    raise exception 'a guest account stays revoked' using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_may_use()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  new.upstream_claims := jsonb_set(new.upstream_claims, '{mayUse}', old.upstream_claims -> 'mayUse');
  return new;
end
$function$
;
comment on function keep_may_use() is 'Who may use a realm stays as it is when the release before writes the claims, which does not know it.';

CREATE OR REPLACE FUNCTION public.keep_offboarded()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (pg_has_role(current_user, 'realmpass_api', 'usage') or pg_has_role(current_user, 'realmpass_operator', 'usage')
          or pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage')) then
    raise exception 'only the api and the operator take an offboarding back'
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  insert into absences (user_id, realm_id, ended_at, back_at)
  values (old.id, old.realm_id, old.offboarded_at, now())
  on conflict (user_id) do update set ended_at = excluded.ended_at, back_at = excluded.back_at;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_offboarding_date()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not (pg_has_role(current_user, 'realmpass_operator', 'usage')
          or pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage')) then
    raise exception 'an offboarding is not dated back'
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_pairwise_id()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (select from upstream_identities where user_id = new.id)
     or exists (select from local_credentials where user_id = new.id)
     or exists (select from certificates where user_id = new.id)
     or exists (select from issuances where user_id = new.id) then
    raise exception 'a person who has signed in or has had a profile keeps the pairwise id'
      using errcode = 'check_violation', constraint = 'users_pairwise_id_stays',
            schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$function$
;
comment on function keep_pairwise_id() is 'Refuses another pairwise id for a person who has signed in or has had a profile. Forgetting them erases it.';

CREATE OR REPLACE FUNCTION public.keep_passwords()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not pg_has_role(current_user, 'realmpass_operator', 'usage')
     and (old.password_hash is not null
          or not exists (select from sign_in_links l where l.user_id = old.user_id and l.consumed_at is not null)) then
    raise exception 'only the operator replaces a password, or sets one for a user without a used sign-in link'
      using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_responders()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'DELETE' then
    if old.not_after < clock_timestamp() then
      return old;
    end if;
  end if;
  raise exception 'a responder that has not ended is not forgotten' using errcode = 'insufficient_privilege';
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_scim_pairwise()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- Requests of directories that read it share this lock.
  perform pg_advisory_xact_lock(hashtextextended('scim pairwise', new.id));
  if exists (select from scim_users where realm_id = new.id) then
    raise exception 'the directory knows people by this attribute'
      using errcode = 'check_violation', constraint = 'realms_scim_pairwise_stays',
            schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_set_up()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not pg_has_role(current_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
    raise exception 'a realm stays set up' using errcode = 'insufficient_privilege', schema = tg_table_schema, table = tg_table_name;
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.keep_trust()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not pg_has_role(current_user, 'realmpass_operator', 'usage')
     and (((old.radius_ca is not null or old.set_up_at is not null) and new.radius_ca is distinct from old.radius_ca)
          or ((old.radius_cn is not null or old.set_up_at is not null) and new.radius_cn is distinct from old.radius_cn)
          or ((old.radius_names <> '{}' or old.set_up_at is not null)
              and new.radius_names is distinct from old.radius_names)
          or ((new.upstream_kind, new.upstream_set_by, new.upstream_issuer, new.upstream_client_id, new.upstream_client_secret, new.upstream_claims) is distinct from (old.upstream_kind, old.upstream_set_by, old.upstream_issuer, old.upstream_client_id, old.upstream_client_secret, old.upstream_claims)
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
$function$
;
comment on function keep_trust() is 'Whom devices and sign-in trust is set once, before the set-up is finished, and the sign-in as a whole; after that the operator alone changes it.';

CREATE OR REPLACE FUNCTION public.keep_upstream_kind()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.upstream_issuer is null and new.upstream_client_id is null then
    new.upstream_kind := null;
    new.upstream_set_by := null;
  else
    new.upstream_kind := coalesce(new.upstream_kind, 'oidc');
    if new.upstream_set_by is null
       or (new.upstream_issuer is distinct from old.upstream_issuer
           and new.upstream_set_by is not distinct from old.upstream_set_by) then
      new.upstream_set_by := 'operator';
    end if;
  end if;
  return new;
end
$function$
;
comment on function keep_upstream_kind() is 'The release before writes neither the kind of the identity provider nor who named it.';

CREATE OR REPLACE FUNCTION public.let_back_in(job uuid, from_position integer, to_position integer, user_ids bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  let_in integer;
begin
  with people as materialized (
    select r.user_id, r.pairwise_id, j.realm_id, j.undo_of
      from jobs j
      join job_rows r on r.job_id = j.id
     where j.id = job
       and j.kind = 'reactivation'
       and j.state = 'running'
       and r.position >= from_position
       and r.position < to_position
       and r.status = 'pending'
  ), entitled as materialized (
    select u.id
      from unnest(user_ids) as given (id)
      join users u on u.id = given.id
     where u.offboarded_at is not null
       and exists (select
                     from people p
                    where p.realm_id = u.realm_id
                      and (p.user_id = u.id
                           or (p.user_id is null
                               and folded_id(p.pairwise_id) = folded_id(u.pairwise_id)
                               and (p.pairwise_id = u.pairwise_id
                                    or not exists (select
                                                     from users t
                                                    where t.realm_id = u.realm_id
                                                      and folded_id(t.pairwise_id) = folded_id(u.pairwise_id)
                                                      and t.id <> u.id))))
                      and (p.undo_of is null or p.undo_of = u.offboarding_job_id))
  )
  update users u
     set offboarded_at = null, offboarding_job_id = null
    from entitled e
   where u.id = e.id;
  get diagnostics let_in = row_count;
  if let_in <> cardinality(user_ids) then
    raise exception 'a worker lets in whom a running reactivation names, and nobody else'
      using errcode = 'insufficient_privilege', schema = 'public', table = 'users';
  end if;
end
$function$
;
comment on function let_back_in(uuid,integer,integer,bigint[]) is 'Lets offboarded people sign in again who are in unfinished rows of a running reactivation. Workers may call it, who cannot take an offboarding back otherwise and cannot create jobs.';

CREATE OR REPLACE FUNCTION public.mark_revoked()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  with marked as (
    update certificates
       set revoked_at = added.revoked_at,
           revocation_reason = added.reason
      from added
     where certificates.id = added.certificate_id
       and certificates.revoked_at is null
    returning certificates.id, certificates.realm_id, certificates.created_at, certificates.user_id, certificates.lapsed
  ), ended as (
    delete from active_profiles a
     using marked
     where marked.user_id is not null
       and a.realm_id = marked.realm_id
       and a.created_at = marked.created_at
       and a.id = marked.id
  ), fewer as (
    select user_id, count(*) as profiles
      from marked
     where user_id is not null
       and not lapsed
     group by user_id
  ), held as materialized (
    select p.user_id, fewer.profiles
      from user_profile_counts p
      join fewer on fewer.user_id = p.user_id
     order by p.user_id
       for no key update of p
  )
  update user_profile_counts p
     set profile_count = p.profile_count - held.profiles
    from held
   where p.user_id = held.user_id;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.note_first_checks()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if old.last_ocsp_at is null then
    new.first_ocsp_at := new.last_ocsp_at;
  end if;
  if new.last_ocsp_at >= new.revoked_at and (old.last_ocsp_at is null or old.last_ocsp_at < new.revoked_at) then
    new.first_refused_at := new.last_ocsp_at;
  end if;
  return new;
end
$function$
;

CREATE OR REPLACE FUNCTION public.note_listings()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into crl_listings (issuer_id, serial_number, revoked_at)
  select issuer_id, serial_number, revoked_at
    from (select *, row_number() over (partition by issuer_id order by revoked_at desc, id desc) as place
            from taken
           where reason is not null) as latest
   where place <= 200
  on conflict do nothing;
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.note_publication()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update crl_listings
     set published_at = clock_timestamp()
   where issuer_id = new.issuer_id
     and published_at is null;
  delete from crl_listings
   where issuer_id = new.issuer_id
     and serial_number in (select serial_number
                             from crl_listings
                            where issuer_id = new.issuer_id
                            order by revoked_at desc, serial_number
                           offset 200);
  return null;
end
$function$
;

CREATE OR REPLACE FUNCTION public.notify_revoked()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (select from added) then
    perform pg_notify('revoked', '');
  end if;
  return null;
end
$function$
;
comment on function notify_revoked() is 'Wakes whoever waits for revocations, once for each transaction, however many it has.';

CREATE OR REPLACE FUNCTION public.number_crls()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and new.issuer_id = old.issuer_id and new.number > old.number and new.last_piece >= old.last_piece then
    return new;
  end if;
  raise exception 'a CRL is followed by one with a higher number' using errcode = 'insufficient_privilege';
end
$function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'audit entries are never changed or deleted' using errcode = 'insufficient_privilege';
end
$function$
;

CREATE OR REPLACE FUNCTION public.remove_active_profile()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  delete from active_profiles where realm_id = old.realm_id and created_at = old.created_at and id = old.id;
  return null;
end
$function$
;
