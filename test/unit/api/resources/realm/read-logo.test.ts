import { crc32, deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readLogo } from "../../../../../api/resources/realm/read-logo.ts";
import type { LogoFault } from "../../../../../domain/realm-logo.ts";
import { png, svg } from "../../../../support/counterparts/picture-server.ts";

const svgNamespace = "http://www.w3.org/2000/svg";

const readText = (text: string) => readLogo(Buffer.from(text));
const xlink = (more: string): string => svg(more).replace("<svg ", '<svg xmlns:xlink="http://www.w3.org/1999/xlink" ');

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Returns a PNG file that claims this size. */
function pngOf(width: number, height: number, { header = "IHDR", data = true, end = true } = {}): Buffer {
  const sizes = Buffer.alloc(13);
  sizes.writeUInt32BE(width, 0);
  sizes.writeUInt32BE(height, 4);
  sizes.set([8, 0], 8);
  return Buffer.concat([
    png.subarray(0, 8),
    chunk(header, sizes),
    ...(data ? [chunk("IDAT", deflateSync(Buffer.from([0, 0])))] : []),
    ...(end ? [chunk("IEND", Buffer.alloc(0))] : []),
  ]);
}

/** Returns an SVG with levels of groups, each of which shows the previous group several times. */
const nested = ({ levels, copies }: { levels: number; copies: number }): string =>
  svg(
    `<g id="u0"><rect/></g>` +
      Array.from(
        { length: levels },
        (_, at) => `<g id="u${at + 1}">${`<use href="#u${at}"/>`.repeat(copies)}</g>`,
      ).join(""),
  );

const chain = (length: number): string =>
  Array.from({ length }, (_, at) => `<use id="c${at}" href="#c${at + 1}"/>`).join("");

describe("a PNG", () => {
  test("that is complete is accepted, up to 4,096 pixels on each side", () => {
    for (const bytes of [png, pngOf(1, 1), pngOf(4_096, 4_096)]) expect(readLogo(bytes)).toEqual({ type: "image/png" });
  });

  const changed = Buffer.from(png);
  changed[45] = 0;
  test.each<[what: string, bytes: Buffer, fault: LogoFault]>([
    ["is too wide", pngOf(4_097, 1), "too_many_pixels"],
    ["is too high", pngOf(1, 0xffff_ffff), "too_many_pixels"],
    ["has no width", pngOf(0, 1), "damaged"],
    ["is cut off", png.subarray(0, png.length - 3), "damaged"],
    ["is only its signature", png.subarray(0, 8), "damaged"],
    ["has a changed byte", changed, "damaged"],
    ["has a page after its end", Buffer.concat([png, Buffer.from("<script>alert(1)</script>")]), "damaged"],
    ["begins with another chunk", pngOf(1, 1, { header: "iHDX" }), "damaged"],
    ["has no data", pngOf(1, 1, { data: false }), "damaged"],
    [
      "has a second header",
      Buffer.concat([pngOf(1, 1, { data: false, end: false }), pngOf(9_999, 9_999).subarray(8)]),
      "damaged",
    ],
    ["has no end", pngOf(1, 1, { end: false }), "damaged"],
  ])("that %s is refused", (_, bytes, fault) => {
    expect(readLogo(bytes)).toEqual({ fault });
  });
});

describe("an SVG", () => {
  test.each<[what: string, text: string]>([
    ["a plain drawing", svg()],
    [
      "a byte order mark, a declaration, a comment and the document type of SVG 1.1",
      `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n<!-- a > b -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n${svg()}\n`,
    ],
    ["a prefix for the elements", `<s:svg xmlns:s="${svgNamespace}"><s:g><s:path d="M0 0h1"/></s:g></s:svg>`],
    [
      "gradients and references into the file",
      xlink(
        `<defs><linearGradient id="a"><stop offset="0"/></linearGradient></defs><use xlink:href="#a"/><use href="#a"/><rect fill="url(#a)" style="filter:url('#b')"/>`,
      ),
    ],
    [
      "styles, also as CDATA",
      svg(
        `<style>.a{fill:red}@media (prefers-color-scheme:dark){.a{fill:#fff}}</style><style><![CDATA[.b > .c{fill:url(#a)}]]></style>`,
      ),
    ],
    ["an embedded PNG", xlink(`<image xlink:href="data:image/png;base64,${png.toString("base64")}"/>`)],
    ["text with references to characters", svg(`<title>A &amp; B &#169; &#x2014;</title><text>5 &lt; 6</text>`)],
    [
      "an editor's data",
      svg(
        `<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:li rdf:resource="http://purl.org/dc/dcmitype/StillImage"/></rdf:RDF></metadata>`,
      ),
    ],
    ["a layer named by an address", svg(`<g id="copy(2)" data-name="a@b.example (2)"/>`)],
    ["colours and transforms", svg(`<g transform="rotate(45) scale (2)" style="fill:rgb(1,2,3)"/>`)],
    [
      "gradients of a style sheet, and clipping within clipping",
      svg(
        `<style>.a,g > .b{fill:url(#g)}.c{clip-path:url(#k)}path{fill:url('#g')}</style>` +
          `<clipPath id="k"><rect class="b"/></clipPath><linearGradient id="g"><stop class="a"/></linearGradient>` +
          `<g class="c">`.repeat(20) +
          `<path class="a b"/>`.repeat(1_000) +
          `</g>`.repeat(20),
      ),
    ],
    ["100 copies of 100 copies", nested({ levels: 2, copies: 100 })],
  ])("with %s is accepted", (_, text) => {
    expect(readText(text)).toEqual({ type: "image/svg+xml" });
  });

  test.each<[fault: LogoFault, text: string]>([
    ["script", svg(`<script>alert(1)</script>`)],
    ["script", svg(`<SCRIPT>alert(1)</SCRIPT>`)],
    ["script", svg(`<script href="https://evil.example/x.js"/>`)],
    ["script", `<s:svg xmlns:s="${svgNamespace}"><s:script>alert(1)</s:script></s:svg>`],
    ["script", svg(`<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>`)],
    ["script", svg(`<metadata><script>alert(1)</script></metadata>`)],
    ["script", svg(`<rect onload="alert(1)"/>`)],
    ["script", svg(`<rect ONclick = 'alert(1)'/>`)],
    ["script", svg("").replace("<svg ", '<svg\nonload="alert(1)" ')],
    ["element", svg(`<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>`)],
    ["element", svg(`<iframe xmlns="http://www.w3.org/1999/xhtml" src="https://evil.example"/>`)],
    ["element", svg(`<a href="#x"><rect/></a>`)],
    ["element", svg(`<animate attributeName="href" values="javascript:alert(1)"/>`)],
    ["element", svg(`<set attributeName="onload" to="alert(1)"/>`)],
    ["element", svg(`<x:data xmlns:x="urn:unknown"/>`)],
    ["element", svg(`<x:data/>`)],
    ["reference", xlink(`<image xlink:href="https://evil.example/x.png"/>`)],
    ["reference", svg(`<image href="&#104;ttps://evil.example/x.png"/>`)],
    ["reference", svg(`<image href="//evil.example/x.png"/>`)],
    ["reference", svg(`<image href="other.png"/>`)],
    ["reference", svg(`<image href="#x"/>`)],
    ["reference", svg(`<use href="\u00a0#x"/>`)],
    ["reference", svg(`<use href="#%61"/>`)],
    ["reference", svg(`<use href="#a&#10;"/>`)],
    ["reference", svg(`<g xmlns:x="http://www.w3.org/XML/1998/namespace" x:base="https://evil.example/"/>`)],
    ["reference", svg(`<image href="data:image/jpeg;base64,/9j/"/>`)],
    ["reference", svg(`<image href="data:image/svg+xml;base64,PHN2Zz4="/>`)],
    ["reference", svg(`<use href="data:image/png;base64,AAAA"/>`)],
    ["reference", xlink(`<use xlink:href=" javascript:alert(1)"/>`)],
    ["reference", svg(`<g xml:base="https://evil.example/"/>`)],
    ["reference", svg(`<rect fill="url(https://evil.example/#a)"/>`)],
    ["reference", svg(`<rect style="fill:URL( 'https://evil.example/#a' )"/>`)],
    ["style", svg(`<style>rect{background:image-set("https://evil.example/x" 1x)}</style>`)],
    ["style", svg(`<rect fill="image('https://evil.example/x')"/>`)],
    ["style", svg(`<rect style="fill:var(--x)"/>`)],
    ["reference", svg(`<style>@media all{rect{fill:url(&quot;https://evil.example&quot;)}}</style>`)],
    ["reference", `<?xml version="1.0"?><?xml-stylesheet href="https://evil.example/x.css"?>${svg()}`],
    ["damaged", svg(`<image href="data:image/png;base64,AAAA"/>`)],
    ["too_many_pixels", svg(`<image href="data:image/png;base64,${pngOf(60_000, 60_000).toString("base64")}"/>`)],
    ["element", svg(`<filter id="a"><feTurbulence numOctaves="99999"/></filter>`)],
    ["style", svg(`<style>@import "https://evil.example/x.css";</style>`)],
    ["style", svg(`<style>@im<!-- x -->port "https://evil.example/x.css";</style>`)],
    ["style", svg(`<style><![CDATA[@IMPORT 'x.css';]]></style>`)],
    ["style", svg(`<style>@font-face{font-family:x}</style>`)],
    ["style", svg(`<style>rect{fill:u\\72l(https://evil.example)}</style>`)],
    ["style", svg(`<rect style="fill:u\\72l(https://evil.example)"/>`)],
    ["entity", `<!DOCTYPE svg [<!ENTITY x "y">]>${svg()}`],
    ["entity", `<!DOCTYPE svg SYSTEM "https://evil.example/x.dtd">${svg()}`],
    ["entity", svg(`<text>&x;</text>`)],
    ["entity", svg(`<text>&nbsp;</text>`)],
    ["entity", `${svg("").replace("</svg>", "")}<!ELEMENT svg ANY></svg>`],
    ["malformed", `<?xml version="1.1"?>${svg()}`],
    ["malformed", svg(`<g>`)],
    ["malformed", svg(`</g>`)],
    ["malformed", `${svg()}<script/>`],
    ["malformed", `${svg()}${svg()}`],
    ["malformed", svg(`<rect fill="a" fill="b"/>`)],
    ["malformed", svg(`<rect fill=a/>`)],
    ["malformed", svg(`<rect fill="<script>"/>`)],
    ["malformed", svg(`<?php echo 1 ?>`)],
    ["malformed", svg(`<!-- a -- b -->`)],
    ["malformed", svg(`<!-- a`)],
    ["malformed", svg(`<text>&</text>`)],
    ["malformed", svg(`<text>&#0;</text>`)],
    ["malformed", svg(`<text>&#x110000;</text>`)],
    ["malformed", svg("<text>\0</text>")],
    ["malformed", svg("<g>".repeat(300) + "</g>".repeat(300))],
    ["malformed", `<?xml version="1.0" encoding="iso-8859-1"?>${svg()}`],
    ["no_picture", `<html xmlns="http://www.w3.org/1999/xhtml"><svg/></html>`],
    ["no_picture", "<svg><rect/></svg>"],
    ["no_picture", "GIF89a"],
    ["no_picture", ""],
  ])("is refused as %s: %s", (fault, text) => {
    expect(readText(text)).toEqual({ fault });
  });

  test("in an encoding other than UTF-8 is refused", () => {
    const latin1 = Buffer.from(svg("<title>Müller</title>"), "latin1");
    const utf16 = Buffer.from(`\ufeff${svg("<script>alert(1)</script>")}`, "utf16le");
    expect(readLogo(latin1)).toEqual({ fault: "malformed" });
    expect(readLogo(utf16)).toEqual({ fault: "no_picture" });
  });

  const paints = (style: string) => [
    `<pattern id="b0"><rect/></pattern>`,
    ...Array.from({ length: 8 }, (_, at) => {
      const rects = `<rect ${style.replace("?", `b${at}`)}/>`.repeat(10);
      return `<pattern id="b${at + 1}">${rects}</pattern>`;
    }),
  ];
  test.each<[what: string, text: string]>([
    ["copies of copies of copies", nested({ levels: 8, copies: 10 })],
    ["a circle", svg(`<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>`)],
    ["itself", svg(`<pattern id="a"><rect fill="url(#a)"/></pattern>`)],
    ["a chain of 5,000 references", svg(chain(5_000))],
    ["patterns of patterns", svg(paints(`fill="url(#?)"`).join(""))],
    ["masks of masks in styles", svg(paints(`style="opacity:1;mask:url('#?')"`).join(""))],
    [
      "patterns of patterns by a style sheet",
      svg(
        paints(`class="?"`).join("") +
          `<style>${Array.from({ length: 9 }, (_, at) => `g .b${at},x{stroke:url(#b${at})}`).join("")}</style>`,
      ),
    ],
    [
      "patterns of patterns by nested rules",
      svg(
        paints(`class="?"`).join("") +
          `<style>${Array.from({ length: 9 }, (_, at) => `.b${at}{stroke:url(#b${at});.x{fill:red}}`).join("")}</style>`,
      ),
    ],
    [
      "a pattern that many elements inherit",
      svg(`<pattern id="a">${"<rect/>".repeat(400)}</pattern><g fill="url(#a)">${"<rect/>".repeat(400)}</g>`),
    ],
    [
      "the first of two with one id",
      nested({ levels: 8, copies: 10 }).replace("</svg>", `<g id="u0"/><g id="u8"/></svg>`),
    ],
  ])("that shows %s is refused", (_, text) => {
    expect(readText(text)).toEqual({ fault: "repetition" });
  });

  test("of 256 KiB in one attribute, or in many elements, is read", () => {
    expect(readText(svg(`<path d="${"M0 0".repeat(60_000)}"/>`))).toEqual({ type: "image/svg+xml" });
    expect(readText(svg(`<g id="a"/>`.repeat(20_000)))).toEqual({ type: "image/svg+xml" });
    expect(readText(svg(`<rect ${' a="'.repeat(60_000)}`))).toEqual({ fault: "malformed" });
    expect(readText(svg(`<rect${" ".repeat(200_000)}x`))).toEqual({ fault: "malformed" });
    expect(readText(svg(`<style>${"a".repeat(250_000)}</style>`))).toEqual({ type: "image/svg+xml" });
    expect(readText(svg(`<style>${"/*".repeat(120_000)}</style>`))).toEqual({ type: "image/svg+xml" });
    expect(readText(svg(`<style>${"a,".repeat(120_000)}{fill:url(#a)}</style>`))).toEqual({ type: "image/svg+xml" });
    expect(readText(svg(`<style>*{${"fill:url(#a);".repeat(9_000)}}</style>${"<g/>".repeat(20_000)}`))).toEqual({
      fault: "repetition",
    });
  });
});
