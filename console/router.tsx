import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { loadPage } from "./ui/load-file.ts";
import { consolePath } from "./api/page-settings.ts";
import type { Search } from "./list/search.ts";
import { Shell } from "./shell/shell.tsx";
import { PageError } from "./ui/page-error.tsx";
import { UnknownPage } from "./ui/unknown-page.tsx";

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: UnknownPage,
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(
      Object.entries(search).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    ),
});

const page = <Path extends string>(path: Path, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => rootRoute, path, component });

// Each page is in a separate file, loaded when the user first opens the page.
const routes = [
  page(
    "/",
    lazyRouteComponent(() => loadPage(() => import("./pages/dashboard/dashboard-page.tsx")), "DashboardPage"),
  ),
  page(
    "/users",
    lazyRouteComponent(() => loadPage(() => import("./pages/users/users-page.tsx")), "UsersPage"),
  ),
  page(
    "/users/$userID",
    lazyRouteComponent(() => loadPage(() => import("./pages/users/user-page.tsx")), "UserPage"),
  ),
  page(
    "/profiles",
    lazyRouteComponent(() => loadPage(() => import("./pages/profiles/profiles-page.tsx")), "ProfilesPage"),
  ),
  page(
    "/guests",
    lazyRouteComponent(() => loadPage(() => import("./pages/guests/guests-page.tsx")), "GuestsPage"),
  ),
  page(
    "/guests/$guestAccountId",
    lazyRouteComponent(() => loadPage(() => import("./pages/guests/guest-page.tsx")), "GuestPage"),
  ),
  page(
    "/infrastructure",
    lazyRouteComponent(
      () => loadPage(() => import("./pages/infrastructure/infrastructure-page.tsx")),
      "InfrastructurePage",
    ),
  ),
  page(
    "/infrastructure/radius",
    lazyRouteComponent(() => loadPage(() => import("./pages/infrastructure/radius-page.tsx")), "RadiusPage"),
  ),
  page(
    "/jobs",
    lazyRouteComponent(() => loadPage(() => import("./pages/bulk-jobs/jobs-page.tsx")), "JobsPage"),
  ),
  page(
    "/jobs/new/$kind",
    lazyRouteComponent(() => loadPage(() => import("./pages/bulk-jobs/input/new-job-page.tsx")), "NewJobPage"),
  ),
  page(
    "/jobs/new/revocation",
    lazyRouteComponent(() => loadPage(() => import("./pages/bulk-jobs/input/new-job-page.tsx")), "RevocationPage"),
  ),
  page(
    "/jobs/$id",
    lazyRouteComponent(() => loadPage(() => import("./pages/bulk-jobs/job-page.tsx")), "JobPage"),
  ),
  page(
    "/audit",
    lazyRouteComponent(() => loadPage(() => import("./pages/audit/audit-page.tsx")), "AuditPage"),
  ),
  page(
    "/audit/$id",
    lazyRouteComponent(() => loadPage(() => import("./pages/audit/entry-page.tsx")), "EntryPage"),
  ),
  page(
    "/applications",
    lazyRouteComponent(() => loadPage(() => import("./pages/applications/applications-page.tsx")), "ApplicationsPage"),
  ),
  page(
    "/applications/new",
    lazyRouteComponent(() => loadPage(() => import("./pages/applications/register-page.tsx")), "RegisterPage"),
  ),
  page(
    "/applications/$clientId",
    lazyRouteComponent(() => loadPage(() => import("./pages/applications/application-page.tsx")), "ApplicationPage"),
  ),
  page(
    "/settings",
    lazyRouteComponent(() => loadPage(() => import("./pages/settings/settings-page.tsx")), "SettingsPage"),
  ),
  page(
    "/settings/directory",
    lazyRouteComponent(() => loadPage(() => import("./pages/settings/directory/directory-page.tsx")), "DirectoryPage"),
  ),
  page(
    "/settings/sign-in",
    lazyRouteComponent(() => loadPage(() => import("./pages/settings/sign-in/sign-in-page.tsx")), "SignInPage"),
  ),
];

export const router = createRouter({
  routeTree: rootRoute.addChildren(routes),
  basepath: consolePath,
  defaultPreload: "intent",
  defaultErrorComponent: PageError,
  scrollRestoration: true,
  // People read and bookmark addresses, so they contain plain names and texts, not JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch(search) {
    const pairs = Object.entries(search).filter(([, value]) => typeof value === "string" && value !== "");
    const text = new URLSearchParams(pairs as [string, string][]).toString();
    return text === "" ? "" : `?${text}`;
  },
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
