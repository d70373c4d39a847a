import { palette } from "../../pages/parts/stylesheet.ts";

/** The style sheet of the documentation's pages, in the colours of all our pages. */
export const docsStylesheet = `${palette}
*, ::before, ::after { box-sizing: border-box; }
html { font: 100%/1.6 Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; color: var(--text); background: var(--page); overflow-wrap: break-word; }
a { color: var(--accent); text-underline-offset: .2em; }
a:hover { color: var(--hover); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
.skip { position: absolute; left: -100rem; padding: .75rem 1rem; background: var(--card); }
.skip:focus { left: .5rem; top: .5rem; z-index: 1; }
.frame { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 2rem; max-width: 72rem; margin: 0 auto; padding: 2rem 1rem; }
.frame.reference { max-width: 96rem; }
header { grid-column: 1 / -1; display: flex; flex-wrap: wrap; align-items: center; gap: .625rem; font-weight: 600; }
.mark {
  flex: none; display: grid; place-items: center; width: 2.25rem; height: 2.25rem; border-radius: .5rem;
  color: var(--on-accent); background: var(--accent); font-size: 1.125rem;
}
.back { margin-left: auto; display: flex; align-items: center; min-height: 2.75rem; font-weight: 400; }
header form { display: flex; flex: 1 1 16rem; min-width: 0; gap: .5rem; max-width: 28rem; margin-left: auto; }
header input { flex: 1; min-width: 0; color: var(--text); background: var(--card); border: 1px solid var(--control); }
header ::placeholder { color: var(--dim); opacity: 1; }
header button { color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); cursor: pointer; }
header button:hover { background: var(--hover); }
header input, header button { min-height: 2.75rem; padding: 0 .875rem; border-radius: .5rem; font: inherit; font-weight: 400; }
.result { margin-top: 1.25rem; }
.result p { margin-top: .25rem; }
nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; }
nav p { margin: 0; padding: .75rem .75rem .25rem; color: var(--dim); font-size: .875rem; font-weight: 600; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: flex; align-items: center; min-height: 2.75rem; padding: 0 .75rem; border-radius: .5rem; text-decoration: none; color: var(--text); }
nav a:hover { background: var(--soft); color: var(--text); }
nav a[aria-current] { background: var(--soft); color: var(--accent); font-weight: 600; }
nav details { display: none; }
nav summary { display: flex; align-items: center; min-height: 2.75rem; padding: 0 .75rem; border: 1px solid var(--control); border-radius: .5rem; background: var(--card); cursor: pointer; }
nav summary::before { content: "▸" / ""; margin-right: .5rem; }
nav [open] > summary::before { content: "▾" / ""; }
main { padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin: 2.25rem 0 0; font-size: 1.25rem; line-height: 1.3; }
h3 { margin: 1.5rem 0 0; font-size: 1rem; }
p, ul, ol { margin: .75rem 0 0; }
li { margin-top: .25rem; }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--soft); border-radius: .25rem; padding: .1em .3em; }
pre { margin: 1rem 0 0; padding: 1rem; overflow-x: auto; background: var(--page); border: 1px solid var(--line); border-radius: .5rem; }
.copyable { margin-top: 1rem; }
.copyable pre { margin-top: .25rem; }
.copyable button {
  display: block; margin-left: auto; min-height: 2.75rem; padding: 0 1rem; font: inherit; font-size: .875rem; cursor: pointer;
  color: var(--accent); background: none; border: 1px solid var(--line); border-radius: .5rem;
}
.copyable button:hover { background: var(--soft); color: var(--hover); }
.unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
pre code { padding: 0; background: none; }
.wide { margin-top: 1rem; overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .5rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
td:first-child code { white-space: nowrap; }
td ul { margin: 0; padding: 0; list-style: none; }
tr:target { background: var(--soft); }
.dim { color: var(--dim); }
@media (min-width: 48.01rem) and (pointer: fine) { nav a { min-height: 2rem; } }
@media (max-width: 48rem) {
  .frame { grid-template-columns: minmax(0, 1fr); gap: 1rem; padding: 1rem .75rem; }
  nav { position: static; max-height: none; }
  .pages { display: none; }
  nav details { display: block; }
  nav ul { display: flex; flex-wrap: wrap; }
  .back { margin-left: 0; }
  main { padding: 1.5rem 1.25rem; }
  .wide table:has(th:nth-child(3)) { min-width: 34rem; }
}
@media (forced-colors: active) { .mark, nav a[aria-current] { border: 1px solid ButtonText; } }
`;
