/** The colours of all our pages, light and dark. */
export const palette = `
:root {
  color-scheme: light dark;
  --page: #f3f4f8; --card: #fff; --text: #1b1f24; --dim: #56606b; --line: #dfe2e8; --control: #7a828c;
  --accent: #3b5bdb; --hover: #3049b5; --on-accent: #fff; --soft: #edf1ff; --bad: #9b1c1c; --bad-soft: #fdf0f0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #101216; --card: #1a1d23; --text: #e7e9ec; --dim: #a6abb3; --line: #2e333c; --control: #7d8590;
    --accent: #91a7ff; --hover: #b3c2ff; --on-accent: #10131f; --soft: #232a45; --bad: #ffb3b3; --bad-soft: #3a1f22;
  }
}
`;

/** The one style sheet of our pages. Sizes are in rem and em, so that it grows with the reader's text. */
export const stylesheet = `${palette}*, ::before, ::after { box-sizing: border-box; }
html { font: 100%/1.5 Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100%; }
body {
  display: flex; flex-direction: column; justify-content: center; align-items: center; gap: 1.25rem;
  min-height: 100vh; margin: 0; padding: 1.5rem 1rem;
  color: var(--text); background: var(--page); overflow-wrap: anywhere;
}
header, main, footer { width: 100%; max-width: 26rem; }
header { display: flex; align-items: center; justify-content: center; gap: .625rem; font-weight: 600; }
.mark {
  flex: none; display: grid; place-items: center; width: 2.25rem; height: 2.25rem; border-radius: .5rem;
  color: var(--on-accent); background: var(--accent); font-size: 1.125rem;
}
main {
  padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem;
  box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 8px 24px rgb(0 0 0 / .06);
}
h1, .title { margin: 0; font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
p { margin: .75rem 0 0; }
.lead { margin-top: .375rem; color: var(--dim); }
.lead strong { color: var(--text); }
.name { unicode-bidi: isolate; font-weight: 600; }
a { color: var(--accent); text-underline-offset: .2em; }
a:hover { color: var(--hover); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
form { margin: 1.5rem 0 0; }
label { display: block; margin: 1rem 0 .375rem; font-weight: 550; }
input:not([type=hidden]) {
  display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--control); border-radius: .5rem;
}
input[aria-invalid=true] { border: 2px solid var(--bad); }
button, .button {
  display: flex; align-items: center; justify-content: center; width: 100%; min-height: 2.75rem; margin: 0;
  padding: .5rem 1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
  color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: .5rem;
}
button:hover, .button:hover { color: var(--on-accent); background: var(--hover); }
button.quiet, .button.quiet { color: var(--text); background: var(--card); border-color: var(--control); }
button.quiet:hover, .button.quiet:hover { color: var(--text); background: var(--soft); }
button:focus-visible, .button:focus-visible, input:focus-visible { border-radius: .5rem; }
form > button { margin-top: 1.5rem; }
h1 + .button, p + .button { margin-top: 1.5rem; }
form + .button { margin-top: .75rem; }
.button + .button { margin-top: .75rem; }
.alert {
  margin: 1.25rem 0 0; padding: .75rem 1rem; color: var(--bad); background: var(--bad-soft);
  border: 1px solid currentColor; border-left-width: .375rem; border-radius: .5rem; font-weight: 550;
}
.or { display: flex; align-items: center; gap: .75rem; margin: 1.5rem 0 0; color: var(--dim); font-size: .875rem; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.or + form { margin-top: .5rem; }
.account {
  display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0 1rem;
  margin: 1.25rem 0 0; padding: .625rem 1rem; background: var(--soft); border-radius: .5rem;
}
.account p { margin: 0; }
.dim { color: var(--dim); font-size: .875rem; }
.link { display: inline-flex; align-items: center; min-height: 2.75rem; }
ul { margin: .5rem 0 0; padding: 0; list-style: none; }
.scopes li { display: flex; gap: .625rem; padding: .125rem 0; }
.scopes li::before { content: "✓" / ""; flex: none; color: var(--accent); font-weight: 700; }
.badge {
  margin-left: auto; align-self: center; padding: 0 .5rem; border-radius: 1rem; white-space: nowrap;
  color: var(--accent); background: var(--soft); font-size: .8125rem; font-weight: 600;
}
.choices { display: grid; gap: .75rem; margin-top: 1.5rem; }
.account + p { margin-top: 1.25rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin-top: 1.5rem; }
.pair > button { margin: 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .125rem .75rem; margin: .5rem 0 0; font-size: .875rem; }
dt { color: var(--dim); }
dd { margin: 0; font-variant-numeric: tabular-nums; }
.report { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.report p { margin: 0; }
footer { font-size: .875rem; text-align: center; }
summary::after { content: "▾" / ""; margin-left: .375rem; }
details[open] > summary::after { content: "▴" / ""; }
footer a, summary { display: inline-flex; align-items: center; min-height: 2.75rem; padding: 0 .75rem; }
summary { color: var(--accent); text-decoration: underline; text-underline-offset: .2em; cursor: pointer; }
details > div { margin-top: .5rem; padding: 1.5rem; text-align: left; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); font-size: 1rem; }
.title { font-size: 1.25rem; }
@media (max-width: 30rem) {
  body { padding: 1rem .75rem; gap: 1rem; }
  main { padding: 1.5rem 1.25rem; }
}
@media (forced-colors: active) { button, .button, .mark, .badge { border: 1px solid ButtonText; } }
`;
