import type { Child } from "hono/jsx";

/** Links back to the previous page. */
export function Back({ href, children }: { href: string; children?: Child }) {
  return (
    <p class="back">
      <a class="link" href={href}>
        {children}
      </a>
    </p>
  );
}
