import { deleteApplication } from "./resources/application/delete-application.ts";
import { getApplication } from "./resources/application/get-application.ts";
import { getApplicationRequests } from "./resources/application/get-application-requests.ts";
import { listApplications } from "./resources/application/list-applications.ts";
import { registerApplication } from "./resources/application/register-application.ts";
import { rotateClientSecret } from "./resources/application/rotate-client-secret.ts";
import { createStaticToken } from "./resources/application/create-static-token.ts";
import { deleteStaticToken } from "./resources/application/delete-static-token.ts";
import { listStaticTokens } from "./resources/application/list-static-tokens.ts";
import { updateApplication } from "./resources/application/update-application.ts";
import { exportAuditEntries } from "./resources/audit/export-audit-entries.ts";
import { listAuditEntries } from "./resources/audit/list-audit-entries.ts";
import { recordListExport } from "./resources/audit/record-list-export.ts";
import { listConsents } from "./resources/consent/list-consents.ts";
import { withdrawConsent } from "./resources/consent/withdraw-consent.ts";
import type { Endpoint } from "./contract/endpoint.ts";
import { createGuestAccount } from "./resources/guest-account/create-guest-account.ts";
import { getGuestAccount } from "./resources/guest-account/get-guest-account.ts";
import { getGuestCode } from "./resources/guest-account/get-guest-code.ts";
import { getGuestToken } from "./resources/guest-account/get-guest-token.ts";
import { listGuestAccounts } from "./resources/guest-account/list-guest-accounts.ts";
import { listGuestTimeline } from "./resources/guest-account/list-guest-timeline.ts";
import { listGuestProfiles } from "./resources/guest-account/list-guest-profiles.ts";
import { revokeGuestAccount } from "./resources/guest-account/revoke-guest-account.ts";
import { updateGuestAccount } from "./resources/guest-account/update-guest-account.ts";
import { createGuestProfile } from "./resources/guest-profile/create-guest-profile.ts";
import { revokeGuestProfile } from "./resources/guest-profile/revoke-guest-profile.ts";
import { getLiveness } from "./resources/health/get-liveness.ts";
import { getReadiness } from "./resources/health/get-readiness.ts";
import { getServiceHealth } from "./resources/health/get-service-health.ts";
import { createInfrastructureProfile } from "./resources/infrastructure-profile/create-infrastructure-profile.ts";
import { listInfrastructureProfiles } from "./resources/infrastructure-profile/list-infrastructure-profiles.ts";
import { revokeInfrastructureProfile } from "./resources/infrastructure-profile/revoke-infrastructure-profile.ts";
import { getIssuance } from "./resources/issuance/get-issuance.ts";
import { cancelJob } from "./resources/bulk-job/run/cancel-job.ts";
import { createOffboarding } from "./resources/bulk-job/input/create-offboarding.ts";
import { createOnboarding } from "./resources/bulk-job/input/create-onboarding.ts";
import { createReactivation } from "./resources/bulk-job/input/create-reactivation.ts";
import { createRevocation } from "./resources/bulk-job/input/create-revocation.ts";
import { eraseJobResults } from "./resources/bulk-job/results/erase-job-results.ts";
import { followJob } from "./resources/bulk-job/run/follow-job.ts";
import { getJob } from "./resources/bulk-job/get-job.ts";
import { getJobProblems } from "./resources/bulk-job/plan/get-job-problems.ts";
import { getJobResults } from "./resources/bulk-job/results/get-job-results.ts";
import { getUndo } from "./resources/bulk-job/plan/get-undo.ts";
import { listJobRows } from "./resources/bulk-job/list-job-rows.ts";
import { listJobs } from "./resources/bulk-job/list-jobs.ts";
import { retryJob } from "./resources/bulk-job/plan/retry-job.ts";
import { startJob } from "./resources/bulk-job/plan/start-job.ts";
import { takeRowsIn, takeRowsOut } from "./resources/bulk-job/plan/take-rows.ts";
import { undoJob } from "./resources/bulk-job/plan/undo-job.ts";
import { getExpiriesPicture } from "./resources/overview/get-expiries-picture.ts";
import { getOnboardingPicture } from "./resources/overview/get-onboarding-picture.ts";
import { getOverview } from "./resources/overview/get-overview.ts";
import { getRadiusPicture } from "./resources/overview/get-radius-picture.ts";
import { getRevocationsPicture } from "./resources/overview/get-revocations-picture.ts";
import { createOwnProfile } from "./resources/profile/create-own-profile.ts";
import { getOwnProfile } from "./resources/profile/get-own-profile.ts";
import { getProfile } from "./resources/profile/get-profile.ts";
import { listOwnProfiles } from "./resources/profile/list-own-profiles.ts";
import { listProfiles } from "./resources/profile/list-profiles.ts";
import { revokeOwnProfile } from "./resources/profile/revoke-own-profile.ts";
import { revokeProfile } from "./resources/profile/revoke-profile.ts";
import { revokeProfiles } from "./resources/profile/revoke-profiles.ts";
import { getProfileActivity } from "./resources/profile/get-profile-activity.ts";
import { getRevoked } from "./resources/radius/get-revoked.ts";
import { getVlans } from "./resources/radius/get-vlans.ts";
import { finishSetup } from "./resources/setup/finish-setup.ts";
import { activateSignIn } from "./resources/sign-in/activate-sign-in.ts";
import { deleteSignInDraft } from "./resources/sign-in/delete-sign-in-draft.ts";
import { getSignInTest } from "./resources/sign-in/get-sign-in-test.ts";
import { getSignIn } from "./resources/sign-in/get-sign-in.ts";
import { getUserSignIn } from "./resources/sign-in/get-user-sign-in.ts";
import { setSignInDraft } from "./resources/sign-in/set-sign-in-draft.ts";
import { startSignInTest } from "./resources/sign-in/start-sign-in-test.ts";
import { getScim } from "./resources/scim/get-scim.ts";
import { setScim } from "./resources/scim/set-scim.ts";
import { getSetup } from "./resources/setup/get-setup.ts";
import { getRealm } from "./resources/realm/get-realm.ts";
import { getRealmApps } from "./resources/realm/get-realm-apps.ts";
import { getRealmLogo, removeRealmLogo, uploadRealmLogo } from "./resources/realm/realm-logo.ts";
import { getRealmSettings } from "./resources/realm/get-realm-settings.ts";
import { updateRealmApps } from "./resources/realm/update-realm-apps.ts";
import { updateRealmSettings } from "./resources/realm/update-realm-settings.ts";
import { updateRealm } from "./resources/realm/update-realm.ts";
import { search } from "./resources/search/search.ts";
import { endOwnSession } from "./resources/session/end-own-session.ts";
import { listOwnSessions } from "./resources/session/list-own-sessions.ts";
import { createHandOver } from "./resources/hand-over/create-hand-over.ts";
import { createUserProfile } from "./resources/user/create-user-profile.ts";
import { endUserSession } from "./resources/user/end-user-session.ts";
import { exportUserData } from "./resources/user/export-user.ts";
import { getUser } from "./resources/user/get-user.ts";
import { getUserProvisioning } from "./resources/user/get-user-provisioning.ts";
import { getUserActivity } from "./resources/user/get-user-activity.ts";
import { listUserProfiles } from "./resources/user/list-user-profiles.ts";
import { listUserSessions } from "./resources/user/list-user-sessions.ts";
import { listUserTimeline } from "./resources/user/list-user-timeline.ts";
import { listUsers } from "./resources/user/list-users.ts";
import { offboardUser } from "./resources/user/offboard-user.ts";
import { reactivateUser } from "./resources/user/reactivate-user.ts";
import { listRoles } from "./resources/role/list-roles.ts";
import { getUserRoles } from "./resources/user/get-user-roles.ts";
import { getUserNote } from "./resources/user/get-user-note.ts";
import { getUserVlan } from "./resources/user/get-user-vlan.ts";
import { setUserRoles } from "./resources/user/set-user-roles.ts";
import { setUserNote } from "./resources/user/set-user-note.ts";
import { setUserVlan } from "./resources/user/set-user-vlan.ts";
import { setUserLimit } from "./resources/user/set-user-limit.ts";
import { setUserLock } from "./resources/user/set-user-lock.ts";

export const endpoints: readonly Endpoint[] = [
  listUsers,
  getUser,
  exportUserData,
  getUserProvisioning,
  getUserActivity,
  listUserTimeline,
  listUserProfiles,
  createHandOver,
  createUserProfile,
  setUserLock,
  setUserLimit,
  getUserRoles,
  setUserRoles,
  getUserNote,
  setUserNote,
  getUserVlan,
  setUserVlan,
  getUserSignIn,
  listRoles,
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
  getProfileActivity,
  revokeProfile,
  revokeProfiles,
  listGuestAccounts,
  createGuestAccount,
  getGuestAccount,
  updateGuestAccount,
  revokeGuestAccount,
  getGuestToken,
  getGuestCode,
  listGuestTimeline,
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
  getApplicationRequests,
  updateApplication,
  listStaticTokens,
  createStaticToken,
  deleteStaticToken,
  deleteApplication,
  rotateClientSecret,
  getOverview,
  getRadiusPicture,
  getExpiriesPicture,
  getRevocationsPicture,
  getOnboardingPicture,
  getRevoked,
  getVlans,
  getRealm,
  getRealmSettings,
  updateRealm,
  updateRealmSettings,
  getRealmApps,
  updateRealmApps,
  getRealmLogo,
  uploadRealmLogo,
  removeRealmLogo,
  getSignIn,
  setSignInDraft,
  deleteSignInDraft,
  startSignInTest,
  getSignInTest,
  activateSignIn,
  getScim,
  setScim,
  getSetup,
  finishSetup,
  listAuditEntries,
  exportAuditEntries,
  recordListExport,
  getIssuance,
  listJobs,
  createOnboarding,
  createOffboarding,
  createReactivation,
  createRevocation,
  getJob,
  followJob,
  getJobResults,
  eraseJobResults,
  startJob,
  cancelJob,
  retryJob,
  takeRowsOut,
  getUndo,
  undoJob,
  takeRowsIn,
  listJobRows,
  getJobProblems,
  search,
  getLiveness,
  getReadiness,
  getServiceHealth,
];
