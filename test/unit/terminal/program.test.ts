import { describe, expect, test } from "vitest";
import { z } from "zod";
import { argument, commandsWith, flag, option } from "../../../terminal/command.ts";
import { exitCodes } from "../../../terminal/exit-codes.ts";
import { CommandError, unexpected } from "../../../terminal/failure.ts";
import { isSet, oneOf, wholeNumber } from "../../../terminal/inputs.ts";
import { runProgram, type Program } from "../../../terminal/program.ts";

const options = { json: flag("as JSON", isSet), noColor: flag("no colours", isSet) };
const command = commandsWith<{ realm: string }, unknown>();

const program: Program<{ realm: string }, unknown, typeof options> = {
  name: "wifi",
  about: "A program.",
  options,
  commands: [
    command({
      name: "profiles start create",
      about: "Creates a profile.",
      arguments: { people: argument("PERSON…", "for whom", z.array(z.string()).min(1, "is required"), { many: true }) },
      options: {
        deviceType: option("TYPE", "what it is for", oneOf(["iOS", "Linux"]), { choices: ["iOS", "Linux"] }),
        months: option("N", "how long", wholeNumber(1, 12).optional()),
        label: option("TEXT", "any text", z.array(z.string()).default([]), { many: true }),
        dryRun: flag("only check", isSet),
      },
      run: (input, { realm }) => Promise.resolve({ ...input, realm }),
    }),
    command({
      name: "fail",
      about: "Fails.",
      options: { refused: flag("by intent", isSet) },
      run: ({ refused }) =>
        Promise.reject(
          refused
            ? new CommandError("too_late", "It is too late.", { exitCode: exitCodes.partly, notes: ["  at: now"] })
            : new TypeError("x is not a function"),
        ),
    }),
  ],
  groups: { profiles: "Profiles.", "profiles start": "Begin." },
  epilogue: "That is all.",
};

async function run(...argv: string[]) {
  let [out, err] = ["", ""];
  const outcomes: unknown[] = [];
  const code = await runProgram(program, argv, {
    writeOut: (text) => (out += text),
    writeError: (text) => (err += text),
    async execute(start, globals) {
      outcomes.push({ ...globals, outcome: await start({ realm: "north" }) });
      return exitCodes.done;
    },
    failureOf: (error) => (error instanceof CommandError ? error : unexpected(error)),
    failureJson: ({ code: word }) => ({ error: word }),
  });
  return { code, out, err, outcomes };
}

test("a command gets its parsed input and the context, and the program gets the options of all commands", async () => {
  const { outcomes } = await run(
    ...["--no-color", "profiles", "start", "create", "ada", "grace", "--device-type", "Linux"],
    ...["--months", "12", "--label", "a", "--label", "b"],
  );
  const outcome = {
    ...{ people: ["ada", "grace"], deviceType: "Linux", months: 12, label: ["a", "b"], dryRun: false },
    realm: "north",
  };
  expect(outcomes).toEqual([{ json: false, noColor: true, outcome }]);
});

test("every fault of the input is named in one usage error", async () => {
  const { code, err, outcomes } = await run("profiles", "start", "create", "--device-type", "linux", "--months", "13");
  expect(code).toBe(2);
  expect(err).toBe(
    "PERSON… is required. --device-type must be one of iOS, Linux. --months must be a whole number from 1 to 12.\n",
  );
  expect(outcomes).toEqual([]);
});

describe("help", () => {
  test("lists groups, choices, required options and the options of all commands", async () => {
    const root = await run("--help");
    expect([root.code, root.err]).toEqual([0, ""]);
    expect(root.out).toMatch(/--no-color +no colours[^]*profiles +Profiles\.[^]*That is all\.\n$/);
    const { out } = await run("profiles", "start", "create", "--help");
    expect(out).toMatch(/--device-type <TYPE> +what it is for \(required\) \(choices: "iOS",\s+"Linux"\)/);
    expect(out).toMatch(/--months <N> +how long\n/);
    expect(out).toMatch(/Global Options:\n +--json +as JSON\n/);
  });

  test("is one JSON object with --json", async () => {
    const { code, out } = await run("fail", "--help", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({ help: expect.stringContaining("Fails.") as string });
  });

  test("is the message of a group that is called without a command", async () => {
    const { code, out, err } = await run("profiles", "start");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("Usage: wifi profiles start");
  });
});

describe("a failure", () => {
  test("is a sentence with its notes for people, and also a JSON object with --json", async () => {
    const message = "It is too late.\n  at: now\n";
    expect(await run("fail", "--refused")).toMatchObject({ code: 3, out: "", err: message });
    expect(await run("fail", "--refused", "--json")).toMatchObject({
      code: 3,
      out: '{"error":"too_late"}\n',
      err: message,
    });
  });

  test("that is a bug shows its stack on standard error, and not in the JSON output", async () => {
    const { code, out, err } = await run("fail", "--json");
    expect([code, out]).toEqual([1, '{"error":"internal_error"}\n']);
    expect(err).toMatch(
      /^Something went wrong that should not: x is not a function\.\nTypeError: [^]*program\.test\.ts/,
    );
  });

  test.each([[["nope"]], [["fail", "--loud"]], [["fail", "x"]], [["profiles", "start", "create", "--months"]]])(
    "%j is a usage error",
    async (argv) => {
      expect((await run(...argv, "--json")).out).toBe('{"error":"usage"}\n');
    },
  );
});
