import comments from "@eslint-community/eslint-plugin-eslint-comments/configs";
import js from "@eslint/js";
import { dirname, join, resolve, sep } from "node:path";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** Packages with one place of their own. Everybody else asks that place. */
const owned = {
  "@peculiar/x509": "X.509 types come from pki/x509.ts, which loads what the library needs first.",
  "reflect-metadata": "pki/x509.ts loads it.",
  bullmq: "Queues and their workers are made in runtime/queue/queues.ts.",
  commander: "Commands and programs are defined with terminal/.",
  express: "Paths are mounted with api/http/route.ts. A type import is fine anywhere.",
  knex: "Migrations belong to db.",
  pg: "SQL belongs to db; elsewhere take a Db. A type import is fine anywhere.",
};

const environment = "Read the environment once, in the main file of the process, and pass values on.";
const time = "Take a Clock as a parameter (runtime/clock.ts); measure durations with performance.now().";

const verbatim =
  "Write the statement with sql`…`; verbatim is for names that cannot be parameters and for texts of packages.";

const syntax = {
  verbatim: [{ selector: "ImportSpecifier[imported.name='verbatim']", message: verbatim }],
  environment: [
    { selector: "MemberExpression[object.name='process'][property.name='env']", message: environment },
    { selector: "VariableDeclarator[init.name='process'] Property[key.name='env']", message: environment },
    { selector: "ImportDeclaration[source.value=/^(node:)?process$/]", message: environment },
  ],
  time: [
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: time },
    { selector: "CallExpression[callee.name='Date']", message: time },
    { selector: "MemberExpression[object.name='Date'][property.name='now']", message: time },
    { selector: "MemberExpression[object.name='performance'][property.name='timeOrigin']", message: time },
  ],
};

/** The limits that hold in `files`: all of them but those lifted. */
function limits(files, ...lifted) {
  return {
    files,
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: Object.entries(owned)
            .filter(([name]) => !lifted.includes(name))
            .map(([name, message]) => ({
              regex: `^${name}($|/)`,
              message,
              allowTypeImports: name === "pg" || name === "express",
            })),
        },
      ],
      "no-restricted-syntax": [
        "error",
        ...Object.entries(syntax)
          .filter(([name]) => !lifted.includes(name))
          .flatMap(([, selectors]) => selectors),
      ],
    },
  };
}

/** What the programs of the command line keep to in addition: tests run their commands in their own process. */
const programSyntax = [
  {
    selector:
      "MemberExpression[object.name='process'][property.name=/^(std(in|out|err)|exit|exitCode|abort|kill|argv|cwd|chdir|on|once|addListener|emitWarning)$/]",
    message: "Take streams, signals and arguments as parameters; main.ts passes them and sets the exit code.",
  },
];

/** What endpoints keep to in addition. */
const endpointSyntax = [
  {
    selector: "NewExpression[callee.name='ServiceError']",
    message: "An endpoint fails with fail(code), with a code that it lists; a helper takes `fail`, or answers a union.",
  },
];

/** The same limits with more syntax that is not allowed. */
const withSyntax = ({ files, rules }, selectors) => ({
  files,
  rules: { ...rules, "no-restricted-syntax": [...rules["no-restricted-syntax"], ...selectors] },
});

const queryFolders = ["queries", "operations"].map((name) => join(import.meta.dirname, "db", name) + sep);

/** Modules of db/queries and db/operations are imported as namespaces: `find`, `list` and `create` alone say nothing. */
const queryNamespaces = {
  create: (context) => ({
    ImportDeclaration({ source, importKind, specifiers }) {
      const path = resolve(dirname(context.filename), source.value);
      if (!source.value.startsWith(".") || !queryFolders.some((folder) => path.startsWith(folder))) return;
      for (const node of importKind === "type" ? [] : specifiers) {
        if (node.type !== "ImportSpecifier" || node.importKind === "type") continue;
        context.report({ node, message: "Import the module as a namespace (import * as users); types may be named." });
      }
    },
  }),
};

export default defineConfig(
  { ignores: ["dist/", "data/", "coverage/", "test-results/", "test/fixtures/", "contract-types/api-types.ts"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  comments.recommended,
  {
    rules: {
      eqeqeq: "error",
      // A disabled rule is named, with the reason: `// eslint-disable-next-line some-rule -- reason`.
      "@eslint-community/eslint-comments/no-unlimited-disable": "error",
      "@eslint-community/eslint-comments/require-description": "error",
      "@eslint-community/eslint-comments/disable-enable-pair": ["error", { allowWholeFile: true }],
    },
  },

  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "no-console": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      // A number in a message needs no ceremony; anything else that is not a string still does.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", destructuredArrayIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
    },
  },

  {
    files: ["**/*.ts", "**/*.tsx"],
    plugins: { db: { rules: { "query-namespaces": queryNamespaces } } },
    rules: { "db/query-namespaces": "error" },
  },
  limits(["**/*.{ts,tsx}"]),
  limits(["api/app.ts", "api/http/route.ts"], "express"),
  withSyntax(limits(["api/resources/**/*.ts"]), endpointSyntax),
  limits(["api/main.ts"], "environment"),
  limits(["db/**/*.ts"], "knex", "pg"),
  limits(
    ["db/queue-schema.ts", "db/grants.ts", "db/logins.ts", "db/queries/sign-in/attempt-counters.ts"],
    "knex",
    "pg",
    "verbatim",
  ),
  limits(["embedded-postgres/**/*.ts"], "pg"),
  withSyntax(limits(["operator/**/*.ts"], "pg"), programSyntax),
  limits(["operator/main.ts", "start.ts"], "pg", "environment"),
  withSyntax(limits(["terminal/**/*.ts"], "commander"), programSyntax),
  withSyntax(limits(["cli/**/*.ts"]), programSyntax),
  limits(["cli/main.ts"], "environment"),
  limits(["runtime/clock.ts", "cli/context/clock.ts"], "time"),
  // In a browser the viewer's clock is the one that counts.
  limits(["console/**/*.{ts,tsx}"], "time"),
  limits(["runtime/queue/queues.ts"], "bullmq"),
  limits(["worker/main.ts", "responder/main.ts", "vitest.config.ts"], "environment"),
  limits(["pki/x509.ts"], "@peculiar/x509", "reflect-metadata"),
  limits(["test/**/*.ts"], "express", "pg", "environment", "verbatim"),

  {
    // A test may assume what it has just made, and reads answers whose shape is the thing being tested.
    files: ["test/**/*.{ts,tsx}"],
    rules: {
      "@typescript-eslint/no-empty-function": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },

  { files: ["**/*.cjs"], languageOptions: { sourceType: "commonjs" } },
  {
    files: ["**/*.mjs"],
    languageOptions: {
      globals: Object.fromEntries(
        ["Buffer", "URL", "URLSearchParams", "fetch", "process", "structuredClone"].map((name) => [name, "readonly"]),
      ),
    },
  },
);
