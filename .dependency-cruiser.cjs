// Who may import whom: the table in docs/architecture.md, section 1. For each folder, everything that is not listed is
// forbidden, and some places must not be reachable at all, however long the chain.

/** `from` may import only these of our own files; Node's modules and packages are separate rules. */
function only(from, allowed, comment) {
  return {
    name: `${from.replace(/\W/g, "")}-imports`,
    comment,
    severity: "error",
    from: { path: `^${from}` },
    to: { pathNot: allowed.map((folder) => `^${folder}`), dependencyTypesNot: installed },
  };
}

const installed = [
  "core",
  "npm",
  "npm-dev",
  "npm-optional",
  "npm-peer",
  "npm-bundled",
  "npm-no-pkg",
  "npm-unknown",
  "deprecated",
];

function package_(name) {
  return `(^|/)node_modules/(@types/)?${name}/`;
}

const server = "^(domain|runtime|db|api|worker|operator|start\\.ts$)";

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    only("domain/", ["domain/"], "The shared language depends on nothing of ours."),
    only("runtime/", ["runtime/", "domain/"], "Plumbing knows neither the database's tables nor a process."),
    only("db/", ["db/", "domain/", "runtime/"], "The database layer serves both processes and knows neither."),
    only("api/", ["api/", "domain/", "runtime/", "db/"], "The api never imports the worker."),
    only("worker/", ["worker/", "domain/", "runtime/", "db/"], "The worker never imports the api."),
    only(
      "operator/",
      ["operator/", "domain/", "runtime/", "db/", "worker/pki/"],
      "Operator commands work beside the database, with keys; they do not start processes or serve HTTP.",
    ),
    only(
      "console/",
      ["console/", "domain/"],
      "The console speaks to the API over HTTP; it shares the vocabulary and the generated types only.",
    ),
    only(
      "cli/",
      ["cli/", "domain/"],
      "The command line client speaks to the API over HTTP; it shares the vocabulary and the generated types only.",
    ),
    only(
      "start\\.ts$",
      ["domain/", "runtime/", "db/"],
      "It starts api and worker as processes of their own, so that no process holds the keys of both.",
    ),

    {
      name: "no-way-to-the-worker",
      comment: "Not even through other files may these reach the folder that holds issuer keys.",
      severity: "error",
      from: { path: "^(api|console|cli)/" },
      to: { path: "^worker/", reachable: true },
    },
    {
      name: "no-way-to-an-issuer-key",
      comment: "What opens, holds or uses an issuer key is out of reach of every file the api loads, wherever it lives.",
      severity: "error",
      from: { path: "^(domain|runtime|db|api|console|cli)/" },
      to: { path: ["^worker/(pki|threads|ocsp)/", "^operator/", "(^|/)signer[^/]*\\.ts$"], reachable: true },
    },
    {
      name: "no-import-of-operator",
      comment: "The operator's commands are a program, not a library.",
      severity: "error",
      from: { pathNot: "^(operator|test)/" },
      to: { path: "^operator/" },
    },
    {
      name: "no-import-of-test",
      comment: "Production code does not know that it is tested.",
      severity: "error",
      from: { pathNot: "^test/" },
      to: { path: "^test/" },
    },
    {
      name: "no-import-of-start",
      comment: "It is an entry point.",
      severity: "error",
      from: { pathNot: "^test/" },
      to: { path: "^start\\.ts$" },
    },
    {
      name: "no-circular",
      comment: "Two files that need each other are one file, or three.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      comment: "The import leads nowhere.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },

    {
      name: "domain-packages",
      comment: "Pure and portable: zod and nothing else.",
      severity: "error",
      from: { path: "^domain/" },
      to: { path: "(^|/)node_modules/", pathNot: package_("zod") },
    },
    {
      name: "domain-without-node",
      comment: "It also runs in a browser, and does no I/O.",
      severity: "error",
      from: { path: "^(domain|console)/" },
      to: { dependencyTypes: ["core"] },
    },
    ...[
      ["bullmq", "^(runtime/queues\\.ts$|worker/|test/)"],
      ["express", "^(api|test)/"],
      ["knex", "^(db|test)/"],
      ["pg", "^(db/|runtime/embedded-postgres|test/)"],
      ["@peculiar/x509", "^(worker/pki/x509\\.ts$|test/)"],
      ["reflect-metadata", "^(worker/pki/x509\\.ts$|test/)"],
    ].map(([name, home]) => ({
      name: `home-of-${name}`,
      comment: `Only ${home} may import it.`,
      severity: "error",
      from: { pathNot: [home, "(^|/)node_modules/"] },
      to: { path: package_(name) },
    })),
    {
      name: "no-development-package-in-production",
      comment: "It is not installed there.",
      severity: "error",
      from: { path: server },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"], pathNot: "(^|/)node_modules/@types/" },
    },
    {
      name: "no-unlisted-package",
      comment: "It happens to be installed because something else needs it; list it in package.json.",
      severity: "error",
      from: { pathNot: "(^|/)node_modules/" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(dist|data|coverage|test-results|test/fixtures)/" },
    // Types count: a file that needs a type of the worker's has learnt about the worker.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".json", ".d.ts"],
    },
  },
};
