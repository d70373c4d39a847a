import { kindsOfJob, type JobKind } from "../../../domain/bulk-job/job.ts";
import { kindsOnPage } from "./kinds.ts";

type Texts = typeof import("../../texts/en.json");

/** The keys of all texts about bulk jobs, without their plural forms. */
type KeysOf<Branch, Before extends string> = {
  [Key in keyof Branch & string]: Branch[Key] extends string
    ? `${Before}${WithoutPlural<Key>}`
    : KeysOf<Branch[Key], `${Before}${Key}.`>;
}[keyof Branch & string];
type WithoutPlural<Key extends string> = Key extends `${infer Name}_${"one" | "other"}` ? Name : Key;
type JobText = KeysOf<Texts["jobs"], "jobs.">;

/**
 * The effects of starting a job. `leavesOut`: the job leaves out the rows with problems. `later`: the job revokes the
 * profiles only after the grace period.
 */
export interface Start {
  leavesOut?: boolean;
  later?: boolean;
}

/**
 * Returns the keys of all texts that depend on the kind of a job. All kinds share one table, so a kind without one of
 * its texts does not compile.
 */
export const kindTexts = (kind: JobKind, { leavesOut = false, later = false }: Start = {}) => {
  const { of } = kindsOfJob[kind];
  const { counts } = kindsOnPage[kind];
  // Only an offboarding has a grace period.
  const timed = later && kind === "offboarding" ? "offboardingLater" : kind;
  return {
    title: `jobs.kinds.${kind}`,
    begin: `jobs.new.${kind}`,
    lead: `jobs.new.lead.${kind}`,
    template: `jobs.file.templateName.${kind}`,
    happens: `jobs.start.text.${timed}`,
    takenBack: `jobs.start.takenBack.${timed}`,
    button: leavesOut ? `jobs.start.button.${kind}LeaveOut` : `jobs.start.button.${kind}`,
    list: `jobs.people.title.${kind}`,
    outcome: {
      // Only an onboarding adds people.
      new: "jobs.people.outcomes.onboarding.new",
      changed: `jobs.people.outcomes.${kind}.changed`,
      unchanged: `jobs.people.outcomes.${kind}.unchanged`,
      failed: `jobs.people.outcomes.${kind}.failed`,
      skipped: `jobs.people.outcomes.${kind}.skipped`,
    },
    willChange: `jobs.counts.${counts.willChange}`,
    isSo: `jobs.counts.${counts.isSo}`,
    changed: `jobs.counts.${counts.changed}`,
    wasSo: `jobs.counts.${counts.wasSo}`,
    share: { people: "jobs.about.people.share", profiles: "jobs.about.profiles.share" },
    many: `jobs.about.${of}.many`,
    nothing: `jobs.about.${of}.nothing`,
    allLeftOut: `jobs.about.${of}.allLeftOut`,
    search: `jobs.about.${of}.search`,
    noMatch: `jobs.about.${of}.noMatch`,
    empty: `jobs.about.${of}.empty`,
    changedSince: `jobs.about.${of}.changedSince`,
  } as const satisfies Record<string, JobText | Record<string, JobText>>;
};
