/** Why a row of a bulk job failed or was skipped, each with the API's message. The console has its own words. */
export const rowErrors = {
  invalid_row: "The row cannot be used.",
  duplicate_row: "An earlier row is about the same person or profile.",
  user_not_found: "There is no such user in this realm.",
  ambiguous_email: "Several people have this e-mail address; name the person by userID or pairwiseID.",
  ambiguous_user:
    "Several people have this pairwiseID in other letter case or Unicode form; name the person exactly as listed, or by userID.",
  profile_not_found: "There is no such profile of a user in this realm.",
  user_offboarded: "This user is offboarded; reactivate them first.",
  last_administrator: "The realm's last administrator; make somebody else an administrator first.",
  user_locked: "A locked user cannot get a profile.",
  profile_limit_reached: "The user has as many active profiles as the limit allows.",
  no_issuer: "This realm has no issuer. The operator has to create one first.",
  issuer_expiring: "The issuer ends before this profile would. The operator has to create a new issuer first.",
  issuance_failed: "The certificate could not be issued.",
  internal_error: "Something went wrong on our side; try this row again.",
  taken_out: "Taken out before the job ran.",
  user_forgotten: "The user was forgotten after the job; the row's values are erased.",
  changed_since:
    "This user has since been added, reactivated, or offboarded separately. This job left them as they are.",
  undone: "The offboarding was undone before the profiles were revoked. Nothing was revoked.",
  cancelled: "The job was cancelled before this row.",
} as const;

export type RowErrorCode = keyof typeof rowErrors;
