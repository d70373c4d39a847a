import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { ustar, withFiles, type ArchivedFile } from "../../../domain/ustar.ts";

const file = (name: string, content: Buffer, isExecutable = false): ArchivedFile => ({
  name,
  content,
  isExecutable,
  changedAt: new Date("2026-11-24T12:00:00Z"),
});

const tar = (parameters: readonly string[], archive: Uint8Array): string =>
  execFileSync("tar", parameters, { input: archive, env: { ...process.env, TZ: "UTC" } }).toString();

test("tar reads back names, sizes, modes, times and contents, including those of empty files and of files that fill whole blocks", () => {
  const contents = [
    Buffer.alloc(0),
    Buffer.alloc(1, "a"),
    Buffer.alloc(511, "b"),
    Buffer.alloc(512, "c"),
    Buffer.alloc(513, "d"),
  ];
  const archive = ustar(contents.map((content, index) => file(`folder/${index}`, content, index === 1)));

  expect(archive.length % 512).toBe(0);
  const lines = tar(["-tv", "--numeric-owner", "-f", "-"], archive).trim().split("\n");
  expect(lines.map((line) => line.replace(/ +/g, " "))).toEqual([
    "-rw-r--r-- 0/0 0 2026-11-24 12:00 folder/0",
    "-rwxr-xr-x 0/0 1 2026-11-24 12:00 folder/1",
    "-rw-r--r-- 0/0 511 2026-11-24 12:00 folder/2",
    "-rw-r--r-- 0/0 512 2026-11-24 12:00 folder/3",
    "-rw-r--r-- 0/0 513 2026-11-24 12:00 folder/4",
  ]);
  expect(tar(["-xO", "-f", "-"], archive)).toBe(Buffer.concat(contents).toString());
});

test("a name with blanks is read back", () => {
  expect(tar(["-t", "-f", "-"], ustar([file("Campus Net.8021x", Buffer.from("1"))]))).toBe("Campus Net.8021x\n");
});

test("a name that does not fit is refused rather than cut", () => {
  expect(() => ustar([file("a".repeat(101), Buffer.alloc(0))])).toThrow("cannot be the name");
  expect(() => ustar([file("a\nb", Buffer.alloc(0))])).toThrow("cannot be the name");
  expect(() => ustar([file("é", Buffer.alloc(0))])).toThrow("cannot be the name");
});

test("files are added to an archive, and private files are readable only by their owner", () => {
  const archive = ustar([file("first", Buffer.from("1"))]);
  const more = withFiles(archive, [
    { ...file("second", Buffer.from("2")), isPrivate: true },
    file("third", Buffer.from("3")),
  ]);
  expect(tar(["-xO", "-f", "-"], more)).toBe("123");
  const modes = tar(["-tv", "-f", "-"], more)
    .trim()
    .split("\n")
    .map((line) => line.slice(0, 10));
  expect(modes).toEqual(["-rw-r--r--", "-rw-------", "-rw-r--r--"]);
});
