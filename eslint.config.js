import comments from "@eslint-community/eslint-plugin-eslint-comments/configs";
import js from "@eslint/js";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

// What only some places may use. A place is lifted from exactly the limits it names; everything else keeps them all.
const packages = {
  "@peculiar/x509": "X.509 types come from worker/pki/x509.ts, which loads what the library needs first.",
  "reflect-metadata": "worker/pki/x509.ts loads it.",
  bullmq: "Queues are made in runtime/queues.ts and worked off in worker.",
  express: "HTTP belongs to api.",
  knex: "SQL belongs to db; elsewhere take a Db.",
  pg: "SQL belongs to db; elsewhere take a Db.",
};

const environment = "Read the environment once, in the main file of the process, and pass values on.";
const time = "Take a clock as a parameter; runtime/clock.ts is the only place that asks the machine.";

const syntax = {
  environment: [
    { selector: "MemberExpression[object.name='process'][property.name='env']", message: environment },
    { selector: "VariableDeclarator[init.name='process'] Property[key.name='env']", message: environment },
    { selector: "ImportDeclaration[source.value=/^(node:)?process$/] ImportSpecifier", message: environment },
  ],
  time: [
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: time },
    { selector: "CallExpression[callee.name='Date']", message: time },
    { selector: "MemberExpression[object.name='Date'][property.name='now']", message: time },
    { selector: "MemberExpression[object.name='performance'][property.name='timeOrigin']", message: time },
    { selector: "ImportDeclaration[source.value=/^(node:)?timers$/] ImportSpecifier[imported.name='now']", message: time },
  ],
};

/** The limits that hold in `files`: all of them but those lifted. */
function limits(files, { lifted = [] } = {}) {
  const held = (limits) => Object.entries(limits).filter(([name]) => !lifted.includes(name));
  const patterns = held(packages).map(([name, message]) => ({ regex: `^${name}($|/)`, message }));
  const selectors = held(syntax).flatMap(([, selectors]) => selectors);
  return {
    files,
    rules: {
      // Off when nothing is left: a severity alone would keep the options of the block before.
      "no-restricted-imports": patterns.length > 0 ? ["error", { patterns }] : "off",
      "no-restricted-syntax": selectors.length > 0 ? ["error", ...selectors] : "off",
    },
  };
}

export default defineConfig(
  { ignores: ["**/node_modules/", "dist/", "data/", "coverage/", "test-results/", "test/fixtures/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  js.configs.recommended,
  comments.recommended,
  {
    rules: {
      eqeqeq: "error",
      // A disabled rule names the rule and gives the reason: `// eslint-disable-next-line rule-name -- reason`.
      "@eslint-community/eslint-comments/no-unlimited-disable": "error",
      "@eslint-community/eslint-comments/require-description": ["error", { ignore: ["eslint-enable"] }],
      "@eslint-community/eslint-comments/disable-enable-pair": ["error", { allowWholeFile: true }],
    },
  },

  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      // A number in a message needs no ceremony; anything else that is not a string still does.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", caughtErrors: "all", ignoreRestSiblings: true }],
      // `() => void call()` at a place that wants no result is clearer than braces.
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    },
  },

  { files: ["**/*.ts"], rules: { "no-console": "error" } },
  limits(["**/*.ts"]),
  limits(["db/**/*.ts"], { lifted: ["knex", "pg"] }),
  limits(["db/migrate.ts"], { lifted: ["knex", "pg", "environment"] }),
  limits(["api/**/*.ts"], { lifted: ["express"] }),
  limits(["api/main.ts"], { lifted: ["express", "environment"] }),
  limits(["worker/**/*.ts"], { lifted: ["bullmq"] }),
  limits(["worker/main.ts"], { lifted: ["bullmq", "environment"] }),
  limits(["worker/pki/x509.ts"], { lifted: ["@peculiar/x509", "reflect-metadata"] }),
  limits(["runtime/clock.ts"], { lifted: ["time"] }),
  limits(["runtime/queues.ts"], { lifted: ["bullmq"] }),
  limits(["runtime/embedded-postgres*.ts"], { lifted: ["pg"] }),
  limits(["operator/main.ts", "start.ts", "*.config.ts"], { lifted: ["environment"] }),
  limits(["test/**/*.ts"], { lifted: [...Object.keys(packages), ...Object.keys(syntax)] }),

  {
    // A test may assume what it has just made, and reads answers whose shape is the thing being tested.
    files: ["test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
  { files: ["test/bench/**/*.ts"], rules: { "no-console": "off" } },
  { files: ["**/*.{js,mjs}"], languageOptions: { globals: { URL: "readonly" } } },
  { files: ["**/*.cjs"], languageOptions: { globals: { module: "writable", require: "readonly" } } },
);
