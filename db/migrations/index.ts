import type { Migration } from "./migration.ts";
import { realmsAndUsers } from "./20261121-0900-realms-and-users.ts";
import { issuersAndCertificates } from "./20261121-0910-issuers-and-certificates.ts";
import { applicationsAndTokens } from "./20261121-0920-applications-and-tokens.ts";
import { auditAndWorkers } from "./20261121-0930-audit-and-workers.ts";
import { roles } from "./20261121-0940-roles.ts";
import { signInAndSessions } from "./20261121-1000-sign-in-and-sessions.ts";
import { activeGuestProfiles } from "./20261121-1010-active-guest-profiles.ts";
import { auditChain } from "./20261121-1020-audit-chain.ts";
import { lists } from "./20261121-1030-lists.ts";
import { activeProfiles } from "./20261121-1040-active-profiles.ts";
import { bulkJobs } from "./20261121-1100-jobs.ts";
import { crls } from "./20261121-1110-crls.ts";
import { ocsp } from "./20261121-1120-ocsp.ts";
import { deviceFiles } from "./20261121-1130-device-files.ts";
import { consoleSessions } from "./20261121-1140-console-sessions.ts";
import { handOvers } from "./20261121-1150-hand-overs.ts";
import { endedResponders } from "./20261121-1165-ended-responders.ts";
import { overview } from "./20261121-1180-overview.ts";
import { helpAndPrivacy } from "./20261121-1185-help-and-privacy.ts";
import { offboardingJob } from "./20261122-0900-offboarding-job.ts";
import { responderRole } from "./20261123-1000-responder-role.ts";
import { trustAndOwners } from "./20261123-1010-trust-and-owners.ts";
import { processes } from "./20261123-1100-processes.ts";
import { responderRequests } from "./20261123-1110-responder-requests.ts";
import { infrastructureDomains } from "./20261123-1200-infrastructure-domains.ts";
import { constrainedIssuers } from "./20261123-1210-constrained-issuers.ts";
import { upstreamAttempts } from "./20261123-1300-upstream-attempts.ts";
import { installationSecrets } from "./20261123-1500-installation-secrets.ts";
import { leaving } from "./20261124-1000-leaving.ts";
import { forgetting } from "./20261124-1010-forgetting.ts";
import { jobFiles } from "./20261124-1020-job-files.ts";
import { bulkRevocation } from "./20261125-1000-bulk-revocation.ts";
import { matching } from "./20261125-1010-matching.ts";
import { lostCertificates } from "./20261125-1100-lost-certificates.ts";
import { installation } from "./20261125-1110-installation.ts";
import { whatDoctorAsks } from "./20261125-1120-what-doctor-asks.ts";
import { requestIds } from "./20261125-1130-request-ids.ts";
import { absence } from "./20261126-1000-absence.ts";
import { rolesOfPeople } from "./20261126-1000-roles-of-people.ts";
import { servicesGiveNoRoles } from "./20261126-1010-services-give-no-roles.ts";
import { statusAskers } from "./20261126-1100-status-askers.ts";
import { auditSubjects } from "./20261126-1110-audit-subjects.ts";
import { auditEntriesAbout } from "./20261126-1120-audit-entries-about.ts";
import { failedOfGuestAccounts } from "./20261126-1130-failed-of-guest-accounts.ts";
import { searchUsers } from "./20261126-1200-search-users.ts";
import { searchSerialEnds } from "./20261126-1210-search-serial-ends.ts";
import { searchIdentities } from "./20261126-1220-search-identities.ts";
import { searchNames } from "./20261126-1230-search-names.ts";
import { revokedFeed } from "./20261126-1300-revoked-feed.ts";
import { revokedIndex } from "./20261126-1310-revoked-index.ts";
import { analyzeGrownUsers } from "./20261126-1400-analyze-grown-users.ts";
import { setUp } from "./20261127-1000-set-up.ts";
import { administrators } from "./20261127-1010-administrators.ts";
import { auditSubjectsInline } from "./20261127-1010-audit-subjects-inline.ts";
import { claims } from "./20261127-1100-claims.ts";
import { searchStatistics } from "./20261127-1200-search-statistics.ts";
import { revokedTogether } from "./20261127-1210-revoked-together.ts";
import { peopleWithRoles } from "./20261127-1220-people-with-roles.ts";
import { revokedByEnd } from "./20261127-1230-revoked-by-end.ts";
import { oneIndexOfRevoked } from "./20261127-1240-one-index-of-revoked.ts";
import { shownConsents } from "./20261128-1010-shown-consents.ts";
import { rolesEnd } from "./20261128-1100-roles-end.ts";
import { offboardingDates } from "./20261128-1110-offboarding-dates.ts";
import { finishedJobs } from "./20261128-1120-finished-jobs.ts";
import { finishedJobRows } from "./20261128-1130-finished-job-rows.ts";
import { recentRemovals } from "./20261128-1200-recent-removals.ts";
import { foldedIds } from "./20261128-1400-folded-ids.ts";
import { oneSpelling } from "./20261128-1410-one-spelling.ts";
import { forgetSpellings } from "./20261128-1420-forget-spellings.ts";
import { letSpellingsIn } from "./20261128-1430-let-spellings-in.ts";
import { notPermitted } from "./20261128-1700-not-permitted.ts";
import { keepMayUse } from "./20261128-1710-keep-may-use.ts";
import { fullTokenAnswers } from "./20261129-0900-full-token-answers.ts";
import { errorDetails } from "./20261129-1000-error-details.ts";
import { answersAboutServers } from "./20261129-1100-answers-about-servers.ts";
import { redirectUris } from "./20261130-0900-redirect-uris.ts";
import { shownRedirectUris } from "./20261130-0910-shown-redirect-uris.ts";
import { rootCrls } from "./20261130-1100-root-crls.ts";
import { wired } from "./20261130-1200-wired.ts";
import { vlans } from "./20261130-1500-vlans.ts";
import { auditOfJobs } from "./20261201-0900-audit-of-jobs.ts";
import { auditLines } from "./20261201-0910-audit-lines.ts";
import { searchEndedNames } from "./20261201-0930-search-ended-names.ts";
import { searchRowsOfPeople } from "./20261201-0931-search-rows-of-people.ts";
import { statusCounts } from "./20261201-1000-status-counts.ts";
import { shortCodes } from "./20261201-1030-short-codes.ts";
import { oneShortCode } from "./20261201-1031-one-short-code.ts";
import { userNotes } from "./20261201-1032-user-notes.ts";
import { signInDrafts } from "./20261201-1100-sign-in-drafts.ts";
import { ssidsConfirmed } from "./20261201-1200-ssids-confirmed.ts";
import { firstPasswords } from "./20261201-1210-first-passwords.ts";
import { notPermittedIndex } from "./20261202-1000-not-permitted-index.ts";
import { uploadedLogos } from "./20261202-1010-uploaded-logos.ts";
import { firstChecks } from "./20261202-1100-first-checks.ts";
import { crlListings } from "./20261202-1110-crl-listings.ts";
import { failedOfRealms } from "./20261202-1120-failed-of-realms.ts";
import { radiusAddresses } from "./20261202-1200-radius-addresses.ts";
import { otherOcsp } from "./20261202-1201-other-ocsp.ts";
import { upstreamSignIns } from "./20261203-1100-upstream-sign-ins.ts";
import { applicationRequests } from "./20261203-1110-application-requests.ts";
import { appAuthorizations } from "./20261203-1200-app-authorizations.ts";
import { replacing } from "./20261203-1210-replacing.ts";
import { issuancesOfDevice } from "./20261203-1211-issuances-of-device.ts";
import { replacedEnds } from "./20261203-1212-replaced-ends.ts";
import { appsOfRealms } from "./20261203-1220-apps-of-realms.ts";
import { furtherRadiusNames } from "./20261203-1300-further-radius-names.ts";
import {
  smallerFiles,
  smallerFilesHandedOver,
  smallerFilesHandedOverValid,
  smallerFilesValid,
} from "./20261203-1310-smaller-files.ts";
import { guestCodes } from "./20261203-1400-guest-codes.ts";
import { oneGuestCode } from "./20261203-1401-one-guest-code.ts";
import { scimUsers } from "./20261203-1500-scim-users.ts";
import { scimSettings } from "./20261203-1510-scim-settings.ts";
import { scimJobs } from "./20261203-1520-scim-jobs.ts";
import { checkedScimJobs } from "./20261203-1530-checked-scim-jobs.ts";
import { oneHeldJob } from "./20261203-1540-one-held-job.ts";
import { staticTokens } from "./20261203-1600-static-tokens.ts";
import { directoryAttributes } from "./20261203-1700-directory-attributes.ts";
import { attributesOfPeople } from "./20261203-1710-attributes-of-people.ts";
import { whatWorkersRead } from "./20261204-0900-what-workers-read.ts";

/** Every migration, in order. New ones go to the end. */
export const migrations: readonly Migration[] = [
  realmsAndUsers,
  issuersAndCertificates,
  applicationsAndTokens,
  auditAndWorkers,
  roles,
  signInAndSessions,
  activeGuestProfiles,
  auditChain,
  lists,
  activeProfiles,
  bulkJobs,
  crls,
  ocsp,
  deviceFiles,
  consoleSessions,
  handOvers,
  endedResponders,
  overview,
  helpAndPrivacy,
  offboardingJob,
  responderRole,
  trustAndOwners,
  processes,
  responderRequests,
  infrastructureDomains,
  constrainedIssuers,
  upstreamAttempts,
  installationSecrets,
  leaving,
  forgetting,
  jobFiles,
  bulkRevocation,
  matching,
  lostCertificates,
  installation,
  whatDoctorAsks,
  requestIds,
  absence,
  rolesOfPeople,
  servicesGiveNoRoles,
  statusAskers,
  auditSubjects,
  auditEntriesAbout,
  failedOfGuestAccounts,
  searchUsers,
  searchSerialEnds,
  searchIdentities,
  searchNames,
  revokedFeed,
  revokedIndex,
  analyzeGrownUsers,
  setUp,
  administrators,
  auditSubjectsInline,
  claims,
  searchStatistics,
  revokedTogether,
  peopleWithRoles,
  revokedByEnd,
  oneIndexOfRevoked,
  shownConsents,
  rolesEnd,
  offboardingDates,
  finishedJobs,
  finishedJobRows,
  recentRemovals,
  foldedIds,
  oneSpelling,
  forgetSpellings,
  letSpellingsIn,
  notPermitted,
  keepMayUse,
  fullTokenAnswers,
  errorDetails,
  answersAboutServers,
  redirectUris,
  shownRedirectUris,
  rootCrls,
  wired,
  vlans,
  auditOfJobs,
  auditLines,
  searchEndedNames,
  searchRowsOfPeople,
  statusCounts,
  shortCodes,
  oneShortCode,
  userNotes,
  signInDrafts,
  ssidsConfirmed,
  firstPasswords,
  notPermittedIndex,
  uploadedLogos,
  firstChecks,
  crlListings,
  failedOfRealms,
  radiusAddresses,
  otherOcsp,
  upstreamSignIns,
  applicationRequests,
  appAuthorizations,
  replacing,
  issuancesOfDevice,
  replacedEnds,
  appsOfRealms,
  furtherRadiusNames,
  smallerFiles,
  smallerFilesHandedOver,
  smallerFilesValid,
  smallerFilesHandedOverValid,
  guestCodes,
  oneGuestCode,
  scimUsers,
  scimSettings,
  scimJobs,
  checkedScimJobs,
  oneHeldJob,
  staticTokens,
  directoryAttributes,
  attributesOfPeople,
  whatWorkersRead,
];
