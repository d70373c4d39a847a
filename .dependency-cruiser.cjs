// Which place may import which. Imports that a place does not list are forbidden; and no chain of imports, however
// long, leads from code that talks to the network to code that holds issuer keys. Each rule has a file that breaks it
// in test/fixtures/boundaries.

/** The imports of our own files that each place may have, apart from its own. */
const mayImport = {
  "domain/": [],
  "runtime/": ["domain/"],
  "embedded-postgres/": [],
  "terminal/": [],
  "pki/": ["domain/"],
  "contract-types/": [],
  "db/": ["domain/", "runtime/"],
  "process/": ["domain/", "runtime/", "db/"],
  "api/": ["domain/", "runtime/", "db/", "process/"],
  "worker/": ["domain/", "runtime/", "db/", "pki/", "process/"],
  // Of pki it needs only DER; a rule below enforces that.
  "responder/": ["domain/", "runtime/", "db/", "pki/", "process/"],
  "operator/": ["domain/", "runtime/", "db/", "pki/", "worker/keys/", "terminal/", "embedded-postgres/"],
  "console/": ["domain/", "contract-types/"],
  // It is a client of the API; it shares the vocabulary and the form of CSV with the service.
  "cli/": ["domain/", "contract-types/", "terminal/"],
  // It passes each process the variables that the process itself lists.
  "start.ts": [
    "domain/",
    "runtime/",
    "db/",
    "process/",
    "api/",
    "worker/",
    "responder/",
    "operator/",
    "embedded-postgres/",
  ],
};

/** The rooms of api/ that each of its rooms may import. The files at its root put the rooms together. */
const apiRooms = {
  http: [],
  contract: ["http"],
  resources: ["http", "contract"],
  publication: ["http", "contract"],
  scim: ["http", "contract"],
  pages: ["http", "contract"],
  session: ["http", "contract", "pages"],
  oauth: ["http", "contract", "pages", "session"],
};
apiRooms.apps = ["http", "contract", "resources", "pages", "session", "oauth"];
const belowTheBrowser = ["http", "contract", "resources", "pages", "session", "oauth"];
for (const room of ["sign-in", "self-service", "logo", "docs"]) apiRooms[`browser/${room}`] = belowTheBrowser;
for (const room of ["upstream-login", "console"]) {
  apiRooms[`browser/${room}`] = [...belowTheBrowser, "browser/sign-in"];
}

/**
 * The stages of a bulk job, in the order that a job goes through them; the rooms of bulk jobs have a folder for each. The
 * root of a room imports no stage, except where it puts the stages together.
 */
const jobStages = ["input", "plan", "run", "results"];
const jobRooms =
  "^(domain/bulk-job|db/queries/bulk-job|worker/bulk-job|api/resources/bulk-job|console/pages/bulk-jobs)/";
const acrossStages = "^(worker/bulk-job/advance\\.ts|console/pages/bulk-jobs/job-page\\.tsx)$";
const stagePath = (...stages) => `${jobRooms}(${stages.join("|")})/`;

/**
 * The pages that each page of the console, and the widgets that several pages share, may import. Every page may import
 * the widgets, and the folders of console/ that know no page.
 */
const consolePages = {
  activity: ["pages/audit"],
  "pages/applications": [],
  "pages/audit": ["pages/bulk-jobs"],
  "pages/bulk-jobs": [],
  "pages/dashboard": ["activity", "pages/audit", "pages/bulk-jobs", "pages/setup"],
  "pages/guests": ["activity"],
  "pages/infrastructure": ["activity"],
  "pages/profiles": ["activity", "pages/bulk-jobs", "pages/dashboard"],
  "pages/settings": ["pages/setup"],
  "pages/setup": [],
  "pages/users": ["activity", "pages/bulk-jobs", "pages/profiles"],
};
const consolePath = (room) => `^console/${room}/`;

const pathOf = (place) => `^${place.replace(/\.ts$/, "\\.ts$")}`;
const places = Object.keys(mayImport).map(pathOf);
const packagePath = (name) => `(^|/)node_modules/(@types/)?${name}/`;
const roomPath = (room) => `^api/${room}/`;

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(mayImport).map(([place, others]) => ({
      name: `${place.replace(/\.ts$|\/$/, "")}-imports`,
      comment: `Of our own files, ${place} may import ${[place, ...others].join(", ")} and nothing else.`,
      severity: "error",
      from: { path: pathOf(place) },
      to: { path: [...places, "^test/"], pathNot: [place, ...others].map(pathOf) },
    })),
    ...Object.entries(apiRooms).map(([room, others]) => ({
      name: `api-${room.replace("/", "-")}-imports`,
      comment: `Of api/, ${room} may import ${[room, ...others].join(", ")} and nothing else.`,
      severity: "error",
      from: { path: roomPath(room) },
      to: { path: "^api/", pathNot: [room, ...others].map(roomPath) },
    })),
    {
      name: "api-room-without-a-line",
      comment: "A new room of api/ needs a line in .dependency-cruiser.cjs that lists its imports.",
      severity: "error",
      from: { path: "^api/.+/", pathNot: Object.keys(apiRooms).map(roomPath) },
      to: { path: "^api/" },
    },
    ...jobStages.slice(0, -1).map((stage, place) => ({
      name: `bulk-job-${stage}-imports`,
      comment: `Of bulk jobs, ${stage} imports itself and the stages before it: ${jobStages.slice(0, place + 1).join(", ")}.`,
      severity: "error",
      from: { path: stagePath(stage) },
      to: { path: stagePath(...jobStages.slice(place + 1)) },
    })),
    {
      name: "bulk-job-root-imports",
      comment: "Files outside the stages of bulk jobs import no stage, so every stage may import them.",
      severity: "error",
      from: { path: jobRooms, pathNot: [stagePath(...jobStages), acrossStages] },
      to: { path: stagePath(...jobStages) },
    },
    ...Object.entries(consolePages).map(([room, others]) => ({
      name: `console-${room.replace("/", "-")}-imports`,
      comment: `Of the console's pages, ${room} may import ${[room, ...others].join(", ")} and nothing else.`,
      severity: "error",
      from: { path: consolePath(room) },
      to: { path: "^console/(activity|pages)/", pathNot: [room, ...others].map(consolePath) },
    })),
    {
      name: "console-below-its-pages",
      comment: "The parts of the console's pages import no page.",
      severity: "error",
      from: { path: "^console/(api|list|session|texts|ui)/" },
      to: { path: "^console/(activity|pages|shell)/" },
    },
    {
      name: "console-page-without-a-line",
      comment: "A new page of the console needs a line in .dependency-cruiser.cjs that lists its imports.",
      severity: "error",
      from: { path: "^console/pages/", pathNot: Object.keys(consolePages).map(consolePath) },
      to: { path: "^console/" },
    },
    {
      name: "no-way-to-the-worker",
      comment:
        "Code that talks to the network reaches no file of the worker's, not even through others: issuer keys are there.",
      severity: "error",
      from: { path: "^(api|console|cli|responder)/" },
      to: { path: "^worker/", reachable: true },
    },
    {
      name: "no-way-to-pki",
      comment: "Code that talks to the network signs nothing, so it encodes no certificates either.",
      severity: "error",
      from: { path: "^(api|console|cli)/" },
      to: { path: "^pki/", reachable: true },
    },
    {
      name: "responder-reads-and-writes-ocsp",
      comment: "The responder parses input of strangers: of pki it imports only DER and the names of algorithms.",
      severity: "error",
      from: { path: "^responder/" },
      to: { path: "^pki/", pathNot: "^pki/(der|der-reader|algorithms)\\.ts$" },
    },
    {
      name: "issuer-keys-are-opened-by-signing-threads",
      comment: "worker/keys decrypts issuer keys: only signing threads and the operator's program import it.",
      severity: "error",
      from: { pathNot: "^(worker/(keys|signing)|operator|test)/" },
      to: { path: "^worker/keys/" },
    },
    {
      name: "issuer-keys-are-read-for-signing-threads",
      comment: "Signing threads read the rows with issuer keys; the operator's program reads and writes them.",
      severity: "error",
      from: { pathNot: "^(worker/issuance/issuers\\.ts$|operator/|test/)" },
      to: { path: "^db/queries/issuer-keys\\.ts$" },
    },
    {
      name: "sql-belongs-to-db",
      comment: "SQL is in db; other folders call a module of db/queries. Tests may import anything.",
      severity: "error",
      from: { pathNot: "^(db|test)/" },
      to: { path: "^db/(sql|rules)\\.ts$" },
    },
    {
      name: "operator-is-a-program",
      comment: "Only `npm start` and tests import the operator's program.",
      severity: "error",
      from: { pathNot: "^(operator/|test/|start\\.ts$)" },
      to: { path: "^operator/" },
    },
    {
      name: "test-is-not-imported",
      comment: "Production code does not import tests.",
      severity: "error",
      from: { pathNot: "^test/" },
      to: { path: "^test/" },
    },
    {
      name: "unlisted-place",
      comment: "A new folder needs a line in .dependency-cruiser.cjs that lists its imports.",
      severity: "error",
      from: { pathNot: [...places, "^test/", "(^|/)node_modules/"] },
      to: { path: places },
    },
    {
      name: "no-circle",
      comment: "Two files that need each other are one file, or three.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-circle-of-folders",
      comment: "Two folders that need each other are one folder, or three.",
      severity: "error",
      scope: "folder",
      from: { pathNot: "^test(/|$)" },
      to: { circular: true },
    },
    {
      name: "domain-packages",
      comment: "domain is pure and runs anywhere: zod, and nothing else.",
      severity: "error",
      from: { path: "^domain/" },
      to: { path: "(^|/)node_modules/", pathNot: packagePath("zod") },
    },
    {
      name: "domain-without-node",
      comment: "domain is pure and runs anywhere: no module of Node's.",
      severity: "error",
      from: { path: "^domain/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "db-without-queue",
      comment: "The queue only makes work noticed; db does not import it.",
      severity: "error",
      from: { path: "^db/" },
      to: { path: packagePath("bullmq") },
    },
    {
      name: "worker-without-http-framework",
      comment: "The worker serves no API.",
      severity: "error",
      from: { path: "^worker/" },
      to: { path: packagePath("express") },
    },
    {
      name: "no-development-package",
      comment: "It is not installed where the service runs. The console is bundled before.",
      severity: "error",
      from: { path: places, pathNot: "^console/" },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"], pathNot: packagePath("@types") },
    },
    {
      name: "no-unlisted-package",
      comment: "It is installed only because something else needs it; list it in package.json.",
      severity: "error",
      from: { pathNot: "(^|/)node_modules/" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "no-unresolvable",
      comment: "The import leads nowhere.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|data|coverage|test-results|test/fixtures)/" },
    // Types count: a file that needs a type of the worker's knows about the worker.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".js", ".json", ".d.ts"],
    },
  },
};
