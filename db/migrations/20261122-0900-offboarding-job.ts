import type { Migration } from "./migration.ts";

/** Which bulk job offboarded a person, and what a worker must know about whoever created a job. */
export const offboardingJob: Migration = {
  name: "20261122-0900-offboarding-job",
  up: `
alter table users add column offboarding_job_id uuid;
comment on column users.offboarding_job_id is 'The bulk job that offboarded this person and may revoke their profiles. Null once somebody else has decided about them. No foreign key: jobs are removed after 90 days.';
grant update (offboarding_job_id) on users to realmpass_worker;
grant select (client_id, realm_id, active, scopes) on applications to realmpass_worker;
`,
};
