import type { Child } from "hono/jsx";
import type { Texts } from "../texts/texts.ts";

type Recipe = keyof Texts["steps"] | "onboarding";

const phone = <rect x="50" y="4" width="60" height="92" rx="9" />;
const screen = <path d="M26 12h108a6 6 0 0 1 6 6v64a6 6 0 0 1-6 6H26a6 6 0 0 1-6-6V18a6 6 0 0 1 6-6zM20 28h120" />;
const waves = <path class="waves" d="M66 28a20 20 0 0 1 28 0M72 35a11 11 0 0 1 16 0M80 42v.01" />;

const allow = (
  <>
    {phone}
    <rect x="57" y="32" width="46" height="36" rx="5" />
    <path d="M64 42h32M64 48h20M57 56h46M80 56v12" />
    <path class="waves" d="M87 62h9" />
  </>
);
const profileRow = (
  <>
    {phone}
    <rect class="waves" x="56" y="20" width="48" height="15" rx="4" />
    <path d="M62 27.5h24M96 24l3.5 3.5L96 31M58 48h44M58 61h44M58 74h44" />
  </>
);
const profileWindow = (
  <>
    {screen}
    <path d="M56 28v60M28 40h18M28 52h18M28 64h18" />
    <rect class="waves" x="64" y="38" width="68" height="16" rx="4" />
    <path d="M72 46h30M66 66h62M66 77h40" />
  </>
);
const code = (
  <>
    {phone}
    <path class="waves" d="M66 26v.01M75 26v.01M84 26v.01M93 26v.01" />
    <path d="M64 44h8M76 44h8M88 44h8M64 58h8M76 58h8M88 58h8M64 72h8M76 72h8M88 72h8" />
  </>
);
const password = (
  <>
    {screen}
    <rect x="44" y="50" width="72" height="16" rx="4" />
    <path class="waves" d="M54 58v.01M63 58v.01M72 58v.01M81 58v.01" />
  </>
);
const network = (
  <>
    {phone}
    {waves}
    <path d="M58 58h26M58 70h26M58 82h26" />
    <path class="waves" d="m92 57 4 4 7-8" />
  </>
);
const file = (
  <>
    <path d="M56 8h32l16 16v68H56zM88 8v16h16" />
    <path class="waves" d="M80 38v30M69 58l11 11 11-11" />
  </>
);
const store = (
  <>
    <rect x="54" y="16" width="52" height="52" rx="12" />
    <path class="waves" d="M80 28v24M71 44l9 9 9-9" />
    <path d="M56 84h48" />
  </>
);
const app = (
  <>
    <path d="M18 22h22l12 12v44H18zM40 22v12h12" />
    <path class="waves" d="M62 50h22M76 41l9 9-9 9" />
    <rect x="94" y="26" width="48" height="48" rx="11" />
    <path d="M108 48a14 14 0 0 1 20 0M113 55a7 7 0 0 1 10 0M118 62v.01" />
  </>
);
const search = (
  <>
    {phone}
    <rect class="waves" x="57" y="16" width="46" height="14" rx="7" />
    <path class="waves" d="M65 21a3 3 0 1 0 .01 0M68 26l3 2" />
    <path d="M58 44h44M58 57h44M58 70h44" />
  </>
);
const setUp = (
  <>
    {phone}
    <path d="M60 24h40M60 34h28M60 44h34" />
    <rect class="waves" x="58" y="62" width="44" height="16" rx="8" />
    <path class="waves" d="m75 69 4 4 7-7" />
  </>
);
const terminal = (
  <>
    {screen}
    <path class="waves" d="m34 44 11 9-11 9M54 64h24" />
  </>
);
const values = (
  <>
    {screen}
    <path d="M32 43h26M32 58h26M32 73h26" />
    <path class="waves" d="M70 43h58M70 58h58M70 73h40" />
  </>
);

const drawings: Readonly<Record<Recipe, readonly Child[]>> = {
  appleMobile: [allow, profileRow, code, network],
  mac: [file, profileWindow, password, network],
  app: [store, app, network],
  onboarding: [store, search, setUp],
  networkmanager: [file, terminal, network],
  iwd: [file, terminal, network],
  onc: [file, values, network],
  pkcs12: [file, network, values],
  pem: [file, network, values],
};

/**
 * Draws a step as lines in the text's colour. Screen readers skip the drawing, because the step's text says the same.
 */
export function StepPicture({ recipe, step }: { recipe: Recipe; step: number }) {
  const drawing = drawings[recipe][step];
  return drawing === undefined ? null : (
    <svg class="picture" viewBox="0 0 160 100" aria-hidden="true">
      {drawing}
    </svg>
  );
}
