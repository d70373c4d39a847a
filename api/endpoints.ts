import { deleteApplication } from "./application/delete-application.ts";
import { getApplication } from "./application/get-application.ts";
import { listApplications } from "./application/list-applications.ts";
import { registerApplication } from "./application/register-application.ts";
import { rotateClientSecret } from "./application/rotate-client-secret.ts";
import { updateApplication } from "./application/update-application.ts";
import { exportAuditEntries } from "./audit/export-audit-entries.ts";
import { listAuditEntries } from "./audit/list-audit-entries.ts";
import { listConsents } from "./consent/list-consents.ts";
import { withdrawConsent } from "./consent/withdraw-consent.ts";
import type { Endpoint } from "./endpoint.ts";
import { createGuestAccount } from "./guest-account/create-guest-account.ts";
import { getGuestAccount } from "./guest-account/get-guest-account.ts";
import { getGuestToken } from "./guest-account/get-guest-token.ts";
import { listGuestAccounts } from "./guest-account/list-guest-accounts.ts";
import { listGuestProfiles } from "./guest-account/list-guest-profiles.ts";
import { revokeGuestAccount } from "./guest-account/revoke-guest-account.ts";
import { updateGuestAccount } from "./guest-account/update-guest-account.ts";
import { createGuestProfile } from "./guest-profile/create-guest-profile.ts";
import { revokeGuestProfile } from "./guest-profile/revoke-guest-profile.ts";
import { getLiveness, getReadiness } from "./health.ts";
import { createInfrastructureProfile } from "./infrastructure-profile/create-infrastructure-profile.ts";
import { listInfrastructureProfiles } from "./infrastructure-profile/list-infrastructure-profiles.ts";
import { revokeInfrastructureProfile } from "./infrastructure-profile/revoke-infrastructure-profile.ts";
import { getIssuance } from "./issuance/get-issuance.ts";
import { cancelJob } from "./job/cancel-job.ts";
import { createOffboarding } from "./job/create-offboarding.ts";
import { createOnboarding } from "./job/create-onboarding.ts";
import { eraseJobResults } from "./job/erase-job-results.ts";
import { followJob } from "./job/follow-job.ts";
import { getJob } from "./job/get-job.ts";
import { getJobResults } from "./job/get-job-results.ts";
import { listJobs } from "./job/list-jobs.ts";
import { retryJob } from "./job/retry-job.ts";
import { startJob } from "./job/start-job.ts";
import { takeRowsOut } from "./job/take-rows-out.ts";
import { getOverview } from "./overview/get-overview.ts";
import { createOwnProfile } from "./profile/create-own-profile.ts";
import { getOwnProfile } from "./profile/get-own-profile.ts";
import { getProfile } from "./profile/get-profile.ts";
import { listOwnProfiles } from "./profile/list-own-profiles.ts";
import { listProfiles } from "./profile/list-profiles.ts";
import { revokeOwnProfile } from "./profile/revoke-own-profile.ts";
import { revokeProfile } from "./profile/revoke-profile.ts";
import { revokeProfiles } from "./profile/revoke-profiles.ts";
import { getRealm } from "./realm/get-realm.ts";
import { updateRealm } from "./realm/update-realm.ts";
import { endOwnSession } from "./session/end-own-session.ts";
import { listOwnSessions } from "./session/list-own-sessions.ts";
import { createUserProfile } from "./user/create-user-profile.ts";
import { endUserSession } from "./user/end-user-session.ts";
import { getUser } from "./user/get-user.ts";
import { listUserProfiles } from "./user/list-user-profiles.ts";
import { listUserSessions } from "./user/list-user-sessions.ts";
import { listUsers } from "./user/list-users.ts";
import { offboardUser } from "./user/offboard-user.ts";
import { reactivateUser } from "./user/reactivate-user.ts";
import { setUserLimit } from "./user/set-user-limit.ts";
import { setUserLock } from "./user/set-user-lock.ts";

/** Every endpoint there is. */
export const endpoints: readonly Endpoint[] = [
  listUsers,
  getUser,
  listUserProfiles,
  createUserProfile,
  setUserLock,
  setUserLimit,
  offboardUser,
  reactivateUser,
  listUserSessions,
  endUserSession,
  listOwnProfiles,
  getOwnProfile,
  createOwnProfile,
  revokeOwnProfile,
  listProfiles,
  getProfile,
  revokeProfile,
  revokeProfiles,
  listGuestAccounts,
  createGuestAccount,
  getGuestAccount,
  updateGuestAccount,
  revokeGuestAccount,
  getGuestToken,
  listGuestProfiles,
  createGuestProfile,
  revokeGuestProfile,
  listInfrastructureProfiles,
  createInfrastructureProfile,
  revokeInfrastructureProfile,
  listOwnSessions,
  endOwnSession,
  listConsents,
  withdrawConsent,
  listApplications,
  registerApplication,
  getApplication,
  updateApplication,
  deleteApplication,
  rotateClientSecret,
  getOverview,
  getRealm,
  updateRealm,
  listAuditEntries,
  exportAuditEntries,
  getIssuance,
  listJobs,
  createOnboarding,
  createOffboarding,
  getJob,
  followJob,
  getJobResults,
  eraseJobResults,
  startJob,
  cancelJob,
  retryJob,
  takeRowsOut,
  getLiveness,
  getReadiness,
];
