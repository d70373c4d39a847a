import MarkdownIt from "markdown-it";

type Rule = NonNullable<MarkdownIt["renderer"]["rules"][string]>;

/** A rendered page of Markdown. */
export interface RenderedMarkdown {
  /** Its heading of level 1, as written. */
  title: string;
  html: string;
}

/**
 * Renders Markdown as HTML. Headings get ids to link to; tables and code scroll separately, also by keyboard; links
 * lead to the address that `linkTo` returns, or become plain text without one. HTML in the text is escaped.
 */
export function renderMarkdown(text: string, linkTo: (href: string) => string | undefined): RenderedMarkdown {
  const markdown = new MarkdownIt({ html: false });
  let isLinked = true;
  let title = "";
  Object.assign(markdown.renderer.rules, {
    heading_open: (tokens, index, options, _, renderer) => {
      const content = tokens[index + 1]?.content ?? "";
      if (tokens[index]?.tag === "h1") title = content;
      tokens[index]?.attrSet("id", anchorOf(content));
      return renderer.renderToken(tokens, index, options);
    },
    link_open: (tokens, index, options, _, renderer) => {
      const token = tokens[index];
      const address = linkTo(String(token?.attrGet("href")));
      isLinked = address !== undefined;
      if (address === undefined) return "";
      token?.attrSet("href", address);
      return renderer.renderToken(tokens, index, options);
    },
    // Links are never nested.
    link_close: () => (isLinked ? "</a>" : ""),
    table_open: () => `<div class="wide" role="group" tabindex="0" aria-label="Table"><table>`,
    table_close: () => "</table></div>",
    fence: (tokens, index) =>
      `<pre tabindex="0"><code>${markdown.utils.escapeHtml(tokens[index]?.content ?? "")}</code></pre>`,
  } satisfies Record<string, Rule>);

  const html = markdown.render(text);
  return { title, html };
}

/** A heading with the text below it, without markup. */
export interface MarkdownSection {
  anchor: string;
  title: string;
  text: string;
}

/** Splits Markdown at its headings. Text before the first one is left out. */
export function sectionsOf(text: string): MarkdownSection[] {
  const tokens = new MarkdownIt({ html: false }).parse(text, {});
  const sections: MarkdownSection[] = [];
  tokens.forEach(({ type, content, children }, index) => {
    const plain = children?.map((part) => (part.type.endsWith("break") ? " " : part.content)).join("") ?? content;
    if (tokens[index - 1]?.type === "heading_open") {
      sections.push({ anchor: anchorOf(content), title: plain, text: "" });
      return;
    }
    const section = sections.at(-1);
    if (section !== undefined && (type === "inline" || type === "fence")) section.text += `${plain.trim()} `;
  });
  return sections;
}

/** Returns the anchor that GitHub generates, so links between files work in both places. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-");
