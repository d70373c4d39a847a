import { expect, test } from "vitest";
import { pictureTypeOf } from "../../../../../api/browser/logo/picture-type.ts";
import { png, svg } from "../../../../support/counterparts/picture-server.ts";

const bytes = (text: string): Buffer => Buffer.from(text, "latin1");
const avif = (...brands: string[]): Buffer =>
  bytes(`\0\0\0${String.fromCharCode(8 + 4 * brands.length)}ftyp${brands.join("")}and what follows`);

test.each([
  ["image/png", png],
  ["image/jpeg", bytes("\xff\xd8\xff\xe0and so on")],
  ["image/gif", bytes("GIF89a, and so on")],
  ["image/gif", bytes("GIF87a, and so on")],
  ["image/webp", bytes("RIFF\n\0\0\0WEBPVP8 ")],
  ["image/avif", avif("avif", "\0\0\0\0", "mif1")],
  ["image/avif", avif("mif1", "\0\0\0\0", "avif")],
  ["image/svg+xml", Buffer.from(svg())],
  ["image/svg+xml", Buffer.from(`\ufeff<?xml version="1.0"?>\n<!-- a > b -->\n<!DOCTYPE svg>\n${svg()}`)],
  [
    "image/svg+xml",
    Buffer.from(`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [ <!ENTITY ns "x"> ]>${svg()}`),
  ],
  ["image/svg+xml", Buffer.from(`<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>`)],
])("%s is recognized", (type, content) => {
  expect(pictureTypeOf(type, content)).toBe(type);
  expect(pictureTypeOf(`${type.toUpperCase()}; charset=utf-8`, content)).toBe(type);
});

test.each<[what: string, type: string | undefined, content: Buffer]>([
  ["a page that says it is a picture", "image/png", bytes("<!doctype html><script>alert(1)</script>")],
  ["a page that says it is a drawing", "image/svg+xml", bytes("<!doctype html><svg></svg>")],
  ["a page around a drawing", "image/svg+xml", bytes(`<html>${svg()}</html>`)],
  ["a page after a comment", "image/svg+xml", bytes(`<!-- <svg --><html/>`)],
  ["a comment without an end", "image/svg+xml", bytes(`<!-- ${svg()}`)],
  ["an element that begins like a drawing", "image/svg+xml", bytes("<svgx>")],
  ["a picture that says it is a page", "text/html", png],
  ["a picture that says nothing", undefined, png],
  ["a picture that says it is bytes", "application/octet-stream", png],
  ["a picture that says it is another", "image/jpeg", png],
  ["another kind of picture", "image/bmp", bytes("BM and so on")],
  ["another kind of media in the same container", "image/avif", avif("isom", "\0\0\0\0", "mp42")],
  ["a container that claims to be longer than it is", "image/avif", bytes("\xff\xff\xff\xffftypisom")],
  ["nothing", "image/png", bytes("")],
  ["a property of every object", "constructor", png],
])("%s is not a picture", (_, type, content) => {
  expect(pictureTypeOf(type, content)).toBeUndefined();
});

// Quadratic time would exceed the time limit of a test.
test("a prologue of megabytes without a root element is rejected", () => {
  const content = bytes("<?".repeat(1_000_000) + "<!--".repeat(1_000_000));
  expect(pictureTypeOf("image/svg+xml", content)).toBeUndefined();
  expect(pictureTypeOf("image/svg+xml", bytes(`<!DOCTYPE svg${" [".repeat(1_000_000)}`))).toBeUndefined();
  expect(pictureTypeOf("image/svg+xml", bytes("<??>".repeat(1_000_000)))).toBeUndefined();
});
