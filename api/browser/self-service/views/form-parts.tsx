import type { Child } from "hono/jsx";

export function Hidden({ fields }: { fields: Readonly<Record<string, string>> }) {
  return (
    <>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

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
