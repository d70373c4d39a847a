-- The roles of Realmpass, for the database that you are connected to. Run it as a superuser, before the first migration
-- and after each upgrade; running it again changes nothing:
--
--   createdb realmpass && psql -X -1 -v ON_ERROR_STOP=1 -d realmpass -f roles.sql
--
-- Then give realmpass_owner (which migrates) and each login its password, with psql's \password.
-- "operator migrate --logins DIR" does all of it, with the passwords in DIR. db/logins.ts is where this text is made.

set search_path = pg_catalog;

-- The groups, one for each kind of process. What they may do is given by the migrations (db/grants.md).
do $body$
declare held record;
begin
  if not exists (select from pg_roles where rolname = 'realmpass_api') then
    begin
      create role realmpass_api nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_api'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_api nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  if not exists (select from pg_roles where rolname = 'realmpass_worker') then
    begin
      create role realmpass_worker nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_worker'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_worker nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  if not exists (select from pg_roles where rolname = 'realmpass_responder') then
    begin
      create role realmpass_responder nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_responder'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_responder nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  if not exists (select from pg_roles where rolname = 'realmpass_operator') then
    begin
      create role realmpass_operator nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_operator'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_operator nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  if not exists (select from pg_roles where rolname = 'realmpass_queue') then
    begin
      create role realmpass_queue nologin;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_queue'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_queue nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  -- Nobody signs in as a group: earlier versions gave api and worker a password.
  for held in select rolname as role from pg_roles where rolname in ('realmpass_api', 'realmpass_worker', 'realmpass_responder', 'realmpass_operator', 'realmpass_queue') and rolcanlogin loop
    execute format('alter role %I nologin password null', held.role);
  end loop;
  for held in
    select pg_get_userbyid(roleid) as role, pg_get_userbyid(member) as member, pg_get_userbyid(grantor) as grantor
      from pg_auth_members where pg_get_userbyid(roleid) in ('realmpass_api', 'realmpass_worker', 'realmpass_responder', 'realmpass_operator', 'realmpass_queue') and pg_get_userbyid(member) in ('realmpass_api', 'realmpass_worker', 'realmpass_responder', 'realmpass_operator', 'realmpass_queue')
       and (pg_get_userbyid(roleid), pg_get_userbyid(member)) not in (('realmpass_queue', 'realmpass_api'), ('realmpass_queue', 'realmpass_worker'))
  loop
    execute format('revoke %I from %I', held.role, held.member)
            || case when current_setting('server_version_num')::integer >= 160000
                    then format(' granted by %I', held.grantor) else '' end;
  end loop;
  if not exists (select from pg_auth_members where roleid = 'realmpass_queue'::regrole and member = 'realmpass_api'::regrole) then
    grant realmpass_queue to realmpass_api;
  end if;
  if not exists (select from pg_auth_members where roleid = 'realmpass_queue'::regrole and member = 'realmpass_worker'::regrole) then
    grant realmpass_queue to realmpass_worker;
  end if;
end
$body$;

-- What migrates.
do $body$
declare held record;
begin
  if not exists (select from pg_roles where rolname = 'realmpass_owner') then
    begin
      create role realmpass_owner login;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_owner'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_owner nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  if not exists (select from pg_auth_members where roleid = 'realmpass_api'::regrole and member = 'realmpass_owner'::regrole) then
    grant realmpass_api to realmpass_owner;
  end if;
  if not exists (select from pg_auth_members where roleid = 'realmpass_worker'::regrole and member = 'realmpass_owner'::regrole) then
    grant realmpass_worker to realmpass_owner;
  end if;
  if not exists (select from pg_auth_members where roleid = 'realmpass_responder'::regrole and member = 'realmpass_owner'::regrole) then
    grant realmpass_responder to realmpass_owner;
  end if;
  if not exists (select from pg_auth_members where roleid = 'realmpass_operator'::regrole and member = 'realmpass_owner'::regrole) then
    grant realmpass_operator to realmpass_owner;
  end if;
  if not exists (select from pg_auth_members where roleid = 'realmpass_queue'::regrole and member = 'realmpass_owner'::regrole) then
    grant realmpass_queue to realmpass_owner;
  end if;
end
$body$;

-- The logins, each in its group alone.
do $body$
declare held record;
begin
  if not exists (select from pg_roles where rolname = 'realmpass_api_login') then
    begin
      create role realmpass_api_login login;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_api_login'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_api_login nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  for held in
    select pg_get_userbyid(roleid) as role, pg_get_userbyid(member) as member, pg_get_userbyid(grantor) as grantor
      from pg_auth_members where member = 'realmpass_api_login'::regrole and roleid <> 'realmpass_api'::regrole
  loop
    execute format('revoke %I from %I', held.role, held.member)
            || case when current_setting('server_version_num')::integer >= 160000
                    then format(' granted by %I', held.grantor) else '' end;
  end loop;
  if not exists (select from pg_auth_members where roleid = 'realmpass_api'::regrole and member = 'realmpass_api_login'::regrole) then
    grant realmpass_api to realmpass_api_login;
  end if;
  alter role realmpass_api_login login;
end
$body$;
do $body$
declare held record;
begin
  if not exists (select from pg_roles where rolname = 'realmpass_worker_login') then
    begin
      create role realmpass_worker_login login;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_worker_login'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_worker_login nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  for held in
    select pg_get_userbyid(roleid) as role, pg_get_userbyid(member) as member, pg_get_userbyid(grantor) as grantor
      from pg_auth_members where member = 'realmpass_worker_login'::regrole and roleid <> 'realmpass_worker'::regrole
  loop
    execute format('revoke %I from %I', held.role, held.member)
            || case when current_setting('server_version_num')::integer >= 160000
                    then format(' granted by %I', held.grantor) else '' end;
  end loop;
  if not exists (select from pg_auth_members where roleid = 'realmpass_worker'::regrole and member = 'realmpass_worker_login'::regrole) then
    grant realmpass_worker to realmpass_worker_login;
  end if;
  alter role realmpass_worker_login login;
end
$body$;
do $body$
declare held record;
begin
  if not exists (select from pg_roles where rolname = 'realmpass_responder_login') then
    begin
      create role realmpass_responder_login login;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_responder_login'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_responder_login nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  for held in
    select pg_get_userbyid(roleid) as role, pg_get_userbyid(member) as member, pg_get_userbyid(grantor) as grantor
      from pg_auth_members where member = 'realmpass_responder_login'::regrole and roleid <> 'realmpass_responder'::regrole
  loop
    execute format('revoke %I from %I', held.role, held.member)
            || case when current_setting('server_version_num')::integer >= 160000
                    then format(' granted by %I', held.grantor) else '' end;
  end loop;
  if not exists (select from pg_auth_members where roleid = 'realmpass_responder'::regrole and member = 'realmpass_responder_login'::regrole) then
    grant realmpass_responder to realmpass_responder_login;
  end if;
  alter role realmpass_responder_login login;
end
$body$;
do $body$
declare held record;
begin
  if not exists (select from pg_roles where rolname = 'realmpass_operator_login') then
    begin
      create role realmpass_operator_login login;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_operator_login'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_operator_login nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  for held in
    select pg_get_userbyid(roleid) as role, pg_get_userbyid(member) as member, pg_get_userbyid(grantor) as grantor
      from pg_auth_members where member = 'realmpass_operator_login'::regrole and roleid <> 'realmpass_operator'::regrole
  loop
    execute format('revoke %I from %I', held.role, held.member)
            || case when current_setting('server_version_num')::integer >= 160000
                    then format(' granted by %I', held.grantor) else '' end;
  end loop;
  if not exists (select from pg_auth_members where roleid = 'realmpass_operator'::regrole and member = 'realmpass_operator_login'::regrole) then
    grant realmpass_operator to realmpass_operator_login;
  end if;
  alter role realmpass_operator_login login;
end
$body$;
do $body$
declare held record;
begin
  if not exists (select from pg_roles where rolname = 'realmpass_queue_login') then
    begin
      create role realmpass_queue_login login;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if exists (select from pg_roles where rolname = 'realmpass_queue_login'
             and (rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls)) then
    alter role realmpass_queue_login nosuperuser nocreaterole nocreatedb noreplication nobypassrls;
  end if;
  for held in
    select pg_get_userbyid(roleid) as role, pg_get_userbyid(member) as member, pg_get_userbyid(grantor) as grantor
      from pg_auth_members where member = 'realmpass_queue_login'::regrole and roleid <> 'realmpass_queue'::regrole
  loop
    execute format('revoke %I from %I', held.role, held.member)
            || case when current_setting('server_version_num')::integer >= 160000
                    then format(' granted by %I', held.grantor) else '' end;
  end loop;
  if not exists (select from pg_auth_members where roleid = 'realmpass_queue'::regrole and member = 'realmpass_queue_login'::regrole) then
    grant realmpass_queue to realmpass_queue_login;
  end if;
  alter role realmpass_queue_login login;
end
$body$;

-- The database and everything in it belong to realmpass_owner.
do $body$
declare held record;
begin
  -- The queue's schema of another owner is made again by the next migration; the sweep adds its tasks again.
  if exists (select from pg_namespace where nspname = 'bullmq' and nspowner <> 'realmpass_owner'::regrole) then
    drop schema bullmq cascade;
  end if;
  execute format('alter database %I owner to realmpass_owner', current_database());
  alter schema public owner to realmpass_owner;
  revoke create on schema public from public;
  for held in
    select format('alter table public.%I owner to realmpass_owner', relname) as statement
      from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S') and relowner <> 'realmpass_owner'::regrole
       and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'e', 'i'))
    union all
    select format('alter routine %s owner to realmpass_owner', p.oid::regprocedure)
      from pg_proc p
     where pronamespace = 'public'::regnamespace and proowner <> 'realmpass_owner'::regrole
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  loop
    execute held.statement;
  end loop;
  execute format('revoke connect on database %I from public', current_database());
  execute format('grant connect on database %I to realmpass_api_login, realmpass_worker_login, realmpass_responder_login, realmpass_operator_login, realmpass_queue_login', current_database());
end
$body$;
