import type { Locator, Page } from "playwright-core";

/** Objects that forms change. */
export interface GivenForForms {
  userID: string;
  clientId: string;
  /** An application that has the scope of a directory. */
  directoryId: string;
  guestAccountId: string;
  jobId: string;
}

/** A form, and the input for it. */
export interface FormRow {
  /** The page with the form, below `/console`. */
  path: (given: GivenForForms) => string;
  /** Opens the form from the page; omitted: the page shows it. */
  open?: (page: Page) => Promise<void>;
  /** Fields and their new values; `true` ticks a box. A value always differs from the initial one. */
  typed: readonly (readonly [field: (page: Page) => Locator, input: string | true])[];
  /** A field whose input is never kept, and an input for it. */
  secret?: readonly [field: (page: Page) => Locator, text: string];
}

const press = (name: string) => async (page: Page) => {
  await page.getByRole("main").getByRole("button", { name, exact: true }).first().click();
};
const pressAndChoose = (name: string, choice: string) => async (page: Page) => {
  await press(name)(page);
  await page.getByRole("dialog").getByRole("radio", { name: choice }).check();
};
const box = (name: string) => (page: Page) => page.getByRole("textbox", { name, exact: true });
const at = (path: string) => (page: Page) => page.locator(`[data-path="${path}"]`);
const inDialog = (path: string) => (page: Page) => page.getByRole("dialog").locator(`[data-path="${path}"]`);

/** Every form of the console, by the path of its file. */
export const keptForms: Readonly<Record<string, FormRow>> = {
  "activity/set-up-dialog.tsx": {
    path: ({ userID }) => `/users/${userID}`,
    open: press("Send a set-up link"),
    typed: [[at("profileName"), "Her new phone"]],
  },
  "pages/applications/register-page.tsx": {
    path: () => "/applications/new",
    open: async (page) => {
      // If earlier input was kept, the page begins at its second step.
      const next = page.getByRole("main").getByRole("button", { name: "Next", exact: true });
      await next.or(at("name")(page)).first().waitFor();
      if (await next.isVisible()) await next.click();
    },
    typed: [[at("name"), "Course planner"]],
  },
  "pages/applications/application-settings.tsx": {
    path: ({ clientId }) => `/applications/${clientId}`,
    typed: [[at("name"), "Renamed client"]],
  },
  "pages/applications/new-token.tsx": {
    path: ({ directoryId }) => `/applications/${directoryId}`,
    open: press("Make a token"),
    typed: [
      [inDialog("name"), "Old directory"],
      [inDialog("networks"), "192.0.2.0/28\n2001:db8::7"],
    ],
  },
  "pages/bulk-jobs/input/pasted-rows.tsx": {
    path: () => "/jobs/new/offboarding",
    open: async (page) => {
      await page.getByText("Paste", { exact: true }).click();
    },
    typed: [[box("Rows"), "pairwiseID\nkept-ada\n"]],
  },
  "pages/bulk-jobs/plan/start-form.tsx": {
    path: ({ jobId }) => `/jobs/${jobId}`,
    open: async (page) => {
      const later = page.getByRole("switch", { name: "Start later" });
      await later.waitFor();
      if (!(await later.isChecked())) await later.click();
    },
    typed: [[(page) => page.locator("input[type=datetime-local]"), "2031-01-02T03:04"]],
  },
  "pages/guests/event-form.tsx": {
    path: () => "/guests",
    open: async (page) => {
      await press("New guest account")(page);
      await page.getByRole("dialog").getByText("Event", { exact: true }).click();
    },
    typed: [
      [at("name"), "Open day"],
      [at("profileLimit"), "321"],
    ],
  },
  "pages/guests/guest-account-form.tsx": {
    path: ({ guestAccountId }) => `/guests/${guestAccountId}`,
    open: press("Edit"),
    typed: [
      [at("name"), "Summer school 2"],
      [at("note"), "Ask Mia\nfirst"],
    ],
  },
  "pages/infrastructure/creation-form.tsx": {
    path: () => "/infrastructure",
    open: press("New server certificate"),
    typed: [[at("name"), "switch-9"]],
  },
  "pages/infrastructure/radius-form.tsx": {
    path: () => "/infrastructure/radius",
    typed: [[at("networks"), "192.0.2.0/24"]],
  },
  "pages/settings/apps-form.tsx": {
    path: () => "/settings",
    typed: [
      [at("helpMail"), "wifi@example.org"],
      [at("rcois"), "001BC50460"],
    ],
  },
  "pages/settings/settings-form.tsx": {
    path: () => "/settings",
    // One field of each section.
    typed: [
      [at("displayName"), "A new name"],
      [at("helpURI"), "https://help.example"],
      [at("maxProfiles"), "7"],
      [at("ssids"), "eduroam\nCampus"],
      [at("guestDaysMax"), "31"],
      [at("timeZone"), "Europe/Berlin"],
      [at("radiusAddresses"), "192.0.2.8"],
      [at("radiusCN"), "radius.campus.example"],
    ],
  },
  "pages/settings/sign-in/sign-in-form.tsx": {
    path: () => "/settings/sign-in",
    typed: [[at("issuer"), "https://idp.example.org"]],
    secret: [(page) => page.locator("input[type=password]"), "hush-hush"],
  },
  "pages/setup/domain-commands.tsx": {
    path: () => "",
    typed: [[box("Your domain"), "campus.example"]],
  },
  "pages/users/limit-dialog.tsx": {
    path: ({ userID }) => `/users/${userID}`,
    open: pressAndChoose("Change", "A limit of their own"),
    typed: [[at("profileOverride"), "17"]],
  },
  "pages/users/profiles/create-profile-form.tsx": {
    path: ({ userID }) => `/users/${userID}`,
    open: press("New profile"),
    typed: [[at("name"), "Desk computer"]],
  },
  "pages/users/user-roles.tsx": {
    path: ({ userID }) => `/users/${userID}`,
    open: press("Change roles"),
    typed: [[(page) => page.getByRole("dialog").getByRole("checkbox", { name: "Auditor" }), true]],
  },
  "pages/users/user-note.tsx": {
    path: ({ userID }) => `/users/${userID}`,
    open: press("Write a note"),
    typed: [[at("note"), "Called about the\nlaptop"]],
  },
  "pages/users/vlan-fact.tsx": {
    path: ({ userID }) => `/users/${userID}`,
    open: pressAndChoose("Change VLAN", "Another one"),
    typed: [[at("vlan"), "417"]],
  },
};

const part = "a part of a form that has a row";
const confirmation = "a confirmation, which is asked again";
const view = "how a list or page is shown; what was searched is in the address";

/** Other files with inputs, and why they do not keep the input themselves. */
export const inputsWithoutForm: Readonly<Record<string, string>> = {
  "activity/timeline.tsx": view,
  "list/cards.tsx": view,
  "list/filters.tsx": view,
  "list/list-search.tsx": view,
  "pages/applications/application-fields.tsx": part,
  "pages/applications/new-secret.tsx": confirmation,
  "pages/applications/scope-fields.tsx": part,
  "pages/applications/type-choice.tsx": part,
  "pages/bulk-jobs/input/file-choice.tsx": part,
  "pages/bulk-jobs/input/files/columns-dialog.tsx":
    "about a file, which has to be chosen again; its choices are remembered",
  "pages/bulk-jobs/plan/grace-choice.tsx": part,
  "pages/guests/guests-page.tsx": part,
  "pages/profiles/revoke.tsx": confirmation,
  "pages/settings/directory/directory-page.tsx": "a choice, which is saved at once",
  "pages/settings/section-fields.tsx": part,
  "pages/settings/trust-fields.tsx": part,
  "shell/palette-dialog.tsx": "a search, which leads to an address",
  "shell/shortcuts-dialog.tsx": view,
  "ui/dialog/confirm-dialog.tsx": confirmation,
  "ui/dialog/shown-once.tsx": confirmation,
  "ui/form/form-dialog.tsx": part,
  "ui/form/form.tsx": part,
  "ui/form/slider-field.tsx": part,
};
