import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { systemClock as clientClock } from "../../cli/context/clock.ts";
import { run as runClient } from "../../cli/program.ts";
import { runOperator } from "../../operator/program.ts";
import { systemClock } from "../../runtime/clock.ts";

/** Documents, scripts and texts of the programs that name commands for people to type. */
const files = execFileSync("git", ["ls-files", "*.md", "*.ts", "*.tsx", "*.yml", "deploy", ".env.example"], {
  encoding: "utf8",
})
  .split("\n")
  .filter((name) => name !== "" && !/^(test|db\/migrations)\//.test(name));

/** A command as a text names it: its program, its words in lower case, and its options. */
interface Named {
  program: "operator" | "realmpass";
  words: string[];
  options: string[];
}

/** Returns the commands with options that a text names, up to the end of the command. */
const namedIn = (text: string): Named[] =>
  [
    ...text
      .replace(/\\\n\s*/g, " ")
      .replace(/\bnode (?:--\S+ )*dist\/(\w+)\/main\.js/g, "; $1")
      .matchAll(/\b(?:realmpass-)?(operator|realmpass)((?: [a-z][a-z-]*)+)((?: [^`\n;|&()]*)?)/g),
  ]
    .map(([, program, words = "", rest = ""]) => ({
      program: program as Named["program"],
      words: words.trim().split(" "),
      options: [...rest.matchAll(/(?<=[ [])--[a-z][a-z-]*/g)].map(([option]) => option),
    }))
    .filter(({ options }) => options.length > 0);

const helps = new Map<string, Promise<string>>();

/** Returns a command's help, even for words that continue with a value; empty if there is no such command. */
function helpOf({ program, words }: Pick<Named, "program" | "words">): Promise<string> {
  const key = `${program} ${words.join(" ")}`;
  const help = helps.get(key) ?? (program === "operator" ? operatorHelp(words) : clientHelp(words));
  helps.set(key, help);
  return help;
}

async function operatorHelp(words: readonly string[]): Promise<string> {
  let out = "";
  await runOperator([...words, "--help"], {
    env: {},
    nodeVersion: process.versions.node,
    clock: systemClock,
    writeOut: (text) => (out += text),
    writeError: () => undefined,
    readSecret: () => Promise.resolve(""),
  });
  return out;
}

async function clientHelp(words: readonly string[]): Promise<string> {
  const stdout = new PassThrough();
  await runClient([...words, "--help"], {
    env: {},
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    clock: clientClock,
    interrupted: new AbortController().signal,
  });
  return String(stdout.read() ?? "");
}

/** Returns the options that a text names and that the command does not have. */
async function unknownIn(text: string): Promise<string[]> {
  const found = namedIn(text).map(async (named) => {
    const help = await helpOf(named);
    return named.options
      .filter((option) => !new RegExp(`${option}(?![a-z-])`).test(help))
      .map((option) => `${named.program} ${named.words.join(" ")} ${option}`);
  });
  return (await Promise.all(found)).flat();
}

test("a command that a document or a message names has every option that the text names", async () => {
  const unknown = await Promise.all(
    files.map(async (name) => (await unknownIn(readFileSync(name, "utf8"))).map((each) => `${name}: ${each}`)),
  );
  expect(unknown.flat()).toEqual([]);
  expect(helps.size).toBeGreaterThan(20);
});

test("control: an option that a command does not have is found", async () => {
  expect(await unknownIn("run `operator realm set --ssid x --radius-ca FILE`, `realmpass users list --all`")).toEqual([
    "operator realm set --radius-ca",
    "realmpass users list --all",
  ]);
});
