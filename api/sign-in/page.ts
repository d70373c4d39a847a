import { createHash } from "node:crypto";
import type { Response } from "express";

const style = `
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: #1b1f24; background: #f4f5f7; }
main { max-width: 26rem; margin: 15vh auto 0; padding: 2rem; background: #fff; border-radius: .5rem; }
h1 { margin: 0 0 .5rem; font-size: 1.25rem; }
button { margin-top: 1rem; padding: .6rem 1.2rem; font: inherit; color: #fff; background: #14532d; border: 0; border-radius: .25rem; }
button:focus-visible { outline: 3px solid #93c5fd; }
@media (prefers-color-scheme: dark) { body { color: #e6e8eb; background: #111418; } main { background: #1b1f24; } }
`;

const styleHash = createHash("sha256").update(style).digest("base64");

/** Nothing is loaded, nothing runs, nobody frames it; the one style sheet is named by its hash. */
const contentSecurityPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

export interface Page {
  status: number;
  title: string;
  text: string;
  /** The label of a button that posts to the page's own address. */
  button?: string;
}

/** Sends a small page that works without scripts. */
export function sendPage(response: Response, { status, title, text, button }: Page): void {
  response.setHeader("Content-Security-Policy", contentSecurityPolicy);
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.statusCode = status;
  response.end(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
${button === undefined ? "" : `<form method="post"><button type="submit">${escapeHtml(button)}</button></form>`}
</main>
</body>
</html>
`);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
