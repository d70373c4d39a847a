import type { Child } from "hono/jsx";
import { Icon } from "./device-icon.tsx";

/** Confirms calmly what has just happened. */
export function Notice({ children }: { children?: Child }) {
  return (
    <p class="notice" role="status">
      <Icon>
        <circle cx="12" cy="12" r="9" />
        <path d="m8 12.5 2.7 2.7L16 9.5" />
      </Icon>
      <span>{children}</span>
    </p>
  );
}

/** Explains why something is not possible. */
export function Banner({ title, children }: { title: string; children?: Child }) {
  return (
    <section class="banner" aria-label={title}>
      <Icon>
        <path d="M12 3.5 2.5 20.5h19zM12 10v5M12 17.5v.01" />
      </Icon>
      <div>
        <h2>{title}</h2>
        <p>{children}</p>
      </div>
    </section>
  );
}
