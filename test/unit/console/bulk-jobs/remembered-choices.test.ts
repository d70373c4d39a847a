import { describe, expect, test } from "vitest";
import {
  faultsOf,
  firstChoices,
  isByAddressAlone,
  withoutRest,
  type Choice,
} from "../../../../console/pages/bulk-jobs/input/files/column-choice.ts";
import {
  firstAnswers,
  hasQuestions,
  proposedAnswers,
  type Proposal,
} from "../../../../console/pages/bulk-jobs/input/files/proposal.ts";
import { readCsvHead } from "../../../../console/pages/bulk-jobs/input/files/read-csv-head.ts";
import {
  rememberChoices,
  rememberedChoices,
  type Shelf,
} from "../../../../console/pages/bulk-jobs/input/files/remembered-choices.ts";

/** A browser's storage, and everything that it contains. */
function givenShelf(): Shelf & { held: Map<string, string> } {
  const held = new Map<string, string>();
  return { held, getItem: (key) => held.get(key) ?? null, setItem: (key, value) => void held.set(key, value) };
}

const kind = "offboarding";
const headings = ["Matrikel", "Vorname", ""];
const choices: Choice[] = ["pairwiseID", "ignore", "ignore"];

describe("the choices for columns", () => {
  test("are remembered for the same headings in any order, letter case and spelling, but not for other headings or another kind of job", () => {
    const shelf = givenShelf();
    rememberChoices(shelf, { kind, headings, choices });
    expect(rememberedChoices(shelf, kind, headings)).toEqual(choices);
    expect(rememberedChoices(shelf, kind, ["vor-name", "MATRIKEL"])).toEqual(["ignore", "pairwiseID"]);
    expect(rememberedChoices(shelf, kind, ["Matrikel"])).toBeUndefined();
    expect(rememberedChoices(shelf, kind, [...headings, "Ort"])).toBeUndefined();
    expect(rememberedChoices(shelf, "reactivation", headings)).toBeUndefined();
  });

  test("are the choices for the last file", () => {
    const shelf = givenShelf();
    rememberChoices(shelf, { kind, headings, choices });
    rememberChoices(shelf, { kind, headings, choices: ["userID", "ignore", "ignore"] });
    expect(rememberedChoices(shelf, kind, headings)?.[0]).toBe("userID");
  });

  test("are not stored with a heading that could be a person's address or number", () => {
    const shelf = givenShelf();
    for (const [first, ...others] of [
      ["ada@uni.example", "Ada"],
      ["12345", "Ada"],
      ["a", "a"],
    ]) {
      rememberChoices(shelf, { kind, headings: [first ?? "", ...others], choices: ["pairwiseID", "ignore"] });
    }
    expect(shelf.held.size).toBe(0);
    rememberChoices(shelf, { kind, headings, choices });
    expect(shelf.held.size).toBe(1);
  });

  test("of the 51st set replace the oldest, and a broken or full storage counts as empty", () => {
    const shelf = givenShelf();
    for (let set = 0; set < 51; set++)
      rememberChoices(shelf, { kind, headings: [`Kopf ${set}`], choices: ["pairwiseID"] });
    expect(rememberedChoices(shelf, kind, ["Kopf 0"])).toBeUndefined();
    expect(rememberedChoices(shelf, kind, ["Kopf 1"])).toEqual(["pairwiseID"]);
    for (const [key] of shelf.held) shelf.held.set(key, "{");
    expect(rememberedChoices(shelf, kind, ["Kopf 1"])).toBeUndefined();
    const full: Shelf = {
      getItem: () => null,
      setItem() {
        throw new Error("full");
      },
    };
    expect(() => {
      rememberChoices(full, { kind, headings, choices });
    }).not.toThrow();
  });

  test("can leave out all undecided columns in one step, and keep the decided ones", () => {
    const open: Choice[] = ["pairwiseID", undefined, undefined];
    expect(faultsOf(kind, open).map(({ key }) => key)).toEqual(["open"]);
    expect(withoutRest(open)).toEqual(["pairwiseID", "ignore", "ignore"]);
    expect(faultsOf(kind, withoutRest(open))).toEqual([]);
  });

  test("show that an onboarding with only addresses adds nobody", () => {
    expect(isByAddressAlone("onboarding", firstChoices("onboarding", ["E-Mail", "maxProfiles"]))).toBe(true);
    expect(isByAddressAlone("onboarding", firstChoices("onboarding", ["E-Mail", "Kennung"]))).toBe(false);
    expect(isByAddressAlone("offboarding", firstChoices("offboarding", ["E-Mail"]))).toBe(false);
  });
});

describe("a file with the headings of an earlier file", () => {
  const proposalOf = async (text: string): Promise<Proposal> => {
    const file = new Blob([text]);
    return { form: "csv", name: "leavers.csv", file, head: await readCsvHead(file) };
  };

  test("is proposed with the row of these headings and the earlier choices, and shown before it is sent", async () => {
    const proposal = await proposalOf("Export;vom Montag\nMatrikel;Vorname\nada;Ada\n");
    const shelf = givenShelf();
    expect(proposedAnswers(shelf, kind, proposal)).toEqual(firstAnswers(kind, proposal));
    expect(firstAnswers(kind, proposal).headerRow).toBe(1);

    rememberChoices(shelf, { kind, headings: ["Matrikel", "Vorname"], choices: ["pairwiseID", "ignore"] });
    expect(proposedAnswers(shelf, kind, proposal)).toMatchObject({
      ...{ headerRow: 2, choices: ["pairwiseID", "ignore"], remembered: true },
    });
    expect(hasQuestions(kind, proposal)).toBe(true);
  });
});
