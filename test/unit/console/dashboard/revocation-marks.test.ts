import { expect, test } from "vitest";
import { lengthOf, marksOf, median } from "../../../../console/pages/dashboard/pictures/revocation-marks.ts";

type Revocation = Parameters<typeof marksOf>[0][number];

const revokedAt = "2027-03-01T08:00:00.000Z";
const at = (seconds: number) => new Date(Date.parse(revokedAt) + seconds * 1_000).toISOString();
const revocation = (serial: string, listed: number | null, refused: number | null, when = revokedAt): Revocation => ({
  serial,
  name: `device ${serial}`,
  deviceType: null,
  revokedAt: when,
  listedAt: listed === null ? null : at(listed),
  refusedAt: refused === null ? null : at(refused),
  job: null,
});

test("profiles that were revoked at the same instant are one mark, with the last list and the first refusal", () => {
  const marks = marksOf([
    revocation("4", 70, null, at(60)),
    revocation("3", 3, null),
    revocation("2", 5, 40),
    revocation("1", 4, 20),
  ]);
  expect(marks.map(({ devices, listed, refused }) => [devices.map(({ serial }) => serial), listed, refused])).toEqual([
    [["4"], 10, null],
    [["3", "2", "1"], 5, 20],
  ]);
});

test("the revocations of one bulk job are one mark, and other revocations during the job are another", () => {
  const job = { id: "1d7e", kind: "revocation", name: "stolen.csv" } as const;
  const marks = marksOf([
    { ...revocation("4", 64, null, at(60)), job },
    revocation("3", null, null, at(30)),
    { ...revocation("2", 5, 40), job },
    { ...revocation("1", 5, null), job: null },
  ]);
  expect(marks.map(({ job: by, revokedAt: last, devices }) => [by?.name, last, devices.length])).toEqual([
    ["stolen.csv", at(60), 2],
    [undefined, at(30), 1],
    [undefined, revokedAt, 1],
  ]);
  expect(marks[0]).toMatchObject({ listed: 5, refused: 40 });
});

test("a mark is listed once all its profiles are listed, and no duration is negative", () => {
  expect(marksOf([revocation("2", null, null), revocation("1", 4, -1)])).toMatchObject([{ listed: null, refused: 0 }]);
  expect(marksOf([revocation("1", -1, null)])).toMatchObject([{ listed: 0, refused: null }]);
});

test("an unknown duration has no bar, a duration of zero a short one, and each doubling adds the same length", () => {
  expect([null, 0, 1, 3, 7].map(lengthOf)).toEqual([0, 1, 2, 3, 4]);
});

test("the median is a value that half do not exceed", () => {
  expect([[], [3], [9, 1], [5, 1, 9]].map(median)).toEqual([undefined, 3, 1, 5]);
});
