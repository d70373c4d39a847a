/** The colours of all our pages, light and dark. */
export const palette = `
:root {
  color-scheme: light dark;
  --page: #f3f4f8; --card: #fff; --text: #1b1f24; --dim: #56606b; --line: #dfe2e8; --control: #7a828c;
  --accent: #3b5bdb; --hover: #3049b5; --on-accent: #fff; --soft: #edf1ff; --bad: #9b1c1c; --bad-soft: #fdf0f0;
  --good: #0b5f50; --good-soft: #e6f6f2; --warn: #8a3a00; --warn-soft: #fff3e3;
}
@media print { :root { color-scheme: light; } }
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #101216; --card: #1a1d23; --text: #e7e9ec; --dim: #a6abb3; --line: #2e333c; --control: #7d8590;
    --accent: #91a7ff; --hover: #b3c2ff; --on-accent: #10131f; --soft: #232a45; --bad: #ffb3b3; --bad-soft: #3a1f22;
    --good: #6fe0c0; --good-soft: #12322b; --warn: #ffb877; --warn-soft: #38270f;
  }
}
`;

/** The style sheet of our pages. Sizes are in rem and em, so they scale with the reader's text. */
export const stylesheet = `${palette}*, ::before, ::after { box-sizing: border-box; }
html { font: 100%/1.5 Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; -webkit-text-size-adjust: 100%; }
body {
  display: flex; flex-direction: column; justify-content: center; align-items: center; gap: 1.25rem;
  min-height: 100vh; margin: 0; padding: 1.5rem 1rem;
  color: var(--text); background: var(--page); overflow-wrap: anywhere;
}
header, main, footer { width: 100%; max-width: 26rem; }
main:focus { outline: none; }
header { display: flex; align-items: center; justify-content: center; gap: .625rem; font-weight: 600; }
.mark {
  flex: none; display: grid; place-items: center; width: 2.25rem; height: 2.25rem; border-radius: .5rem;
  color: var(--on-accent); background: var(--accent); font-size: 1.125rem;
}
.logo { flex: none; height: 2.5rem; max-width: min(12rem, 50%); object-fit: contain; object-position: left; }
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
::placeholder { color: var(--dim); opacity: 1; }
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
h1 + .button, p + .button, ol + .button { margin-top: 1.5rem; }
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
.account + p, .account + .button { margin-top: 1.25rem; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin-top: 1.5rem; }
.pair > button { margin: 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .125rem .75rem; margin: .5rem 0 0; font-size: .875rem; }
dt { color: var(--dim); }
dd { margin: 0; font-variant-numeric: tabular-nums; }
.report { margin-top: 1.5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.report p { margin: 0; }
footer { font-size: .875rem; text-align: center; }
footer nav { display: inline-block; }
.help { display: inline; min-height: 0; padding: .9375rem 0; white-space: nowrap; }
summary::after { content: "▾" / ""; margin-left: .375rem; }
details[open] > summary::after { content: "▴" / ""; }
footer a, summary { display: inline-flex; align-items: center; min-height: 2.75rem; padding: 0 .75rem; }
summary { color: var(--accent); text-decoration: underline; text-underline-offset: .2em; cursor: pointer; }
details > div { margin-top: .5rem; padding: 1.5rem; text-align: left; border: 1px solid var(--line); border-radius: .75rem; background: var(--card); font-size: 1rem; }
.title { font-size: 1.25rem; }
.skip { position: absolute; top: .5rem; left: .5rem; z-index: 1; padding: .75rem 1rem; border-radius: .5rem; color: var(--on-accent); background: var(--accent); }
.skip:not(:focus) { transform: translateY(-200%); }
.wide { justify-content: flex-start; }
.wide > header, .wide > main, .wide > footer { max-width: 44rem; }
.wide > header { flex-wrap: wrap; justify-content: flex-start; }
.wide > header > :is(.mark, .logo) + span { flex: 1 1 6rem; }
.wide > main { padding: 0; background: none; border: 0; box-shadow: none; }
header nav { display: flex; flex-wrap: wrap; order: 1; flex: 1 0 100%; gap: 0 .25rem; margin: 0 -.625rem; font-size: .9375rem; }
header form { margin: 0 -.625rem 0 auto; font-size: .9375rem; }
header form > button { margin: 0; }
header nav a, .plain, .plain:hover {
  display: inline-flex; align-items: center; width: auto; min-height: 2.75rem; padding: 0 .625rem; border-radius: .5rem;
  color: var(--text); background: none; text-decoration: none; font-weight: 500;
}
header nav a:hover, .plain:hover { color: var(--text); background: var(--soft); }
header nav [aria-current] { color: var(--accent); font-weight: 650; box-shadow: inset 0 -.1875rem var(--accent); border-radius: 0; }
.card {
  margin: 1rem 0 0; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem;
  box-shadow: 0 1px 2px rgb(0 0 0 / .05);
}
.card > .button, .card > button { margin-top: 1.25rem; }
.card > :first-child, .card > form:first-child > :first-child { margin-top: 0; }
h2 { margin: 1.25rem 0 0; font-size: 1.0625rem; line-height: 1.35; font-weight: 650; }
.icon { flex: none; width: 1.5rem; height: 1.5rem; }
.icon, .picture { fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.picture { display: block; width: 12rem; max-width: 100%; margin: 0 auto; color: var(--dim); stroke-width: 2; }
.picture .filled { fill: var(--card); } .picture .waves { color: var(--accent); stroke: var(--accent); stroke-width: 3; }
.empty { text-align: center; }
.empty dl { justify-content: center; grid-template-columns: auto auto; }
.empty .usage { text-align: left; margin: 1.25rem 0 0; }
.top { display: flex; flex-wrap: wrap; align-items: end; gap: .75rem 1.5rem; margin-top: 1rem; }
.usage { flex: 1 1 14rem; }
.usage p { margin: 0; font-variant-numeric: tabular-nums; }
.top .button { flex: 1 1 12rem; width: auto; }
.button.disabled, .button.disabled:hover { color: var(--dim); background: var(--line); cursor: not-allowed; }
meter {
  appearance: none; display: block; width: 100%; height: .5rem; margin-top: .375rem; border: 0; border-radius: 1rem;
  background: var(--line); overflow: hidden;
}
meter::-webkit-meter-inner-element { display: block; height: .5rem; }
meter::-webkit-meter-bar { display: block; position: relative; height: .5rem; background: var(--line); border: 0; border-radius: 1rem; }
meter::-webkit-meter-optimum-value { position: absolute; inset: 0 auto 0 0; height: auto; background: var(--accent); border-radius: 1rem; }
meter::-moz-meter-bar { background: var(--accent); border-radius: 1rem; }
.devices { margin: 0; }
.device { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1rem; }
.device > .icon { width: 2.25rem; height: 2.25rem; color: var(--accent); }
.device > div { flex: 1 1 11rem; }
.device h2, .device p { margin: 0; }
.device h2 a { display: inline-block; padding: .6875rem 0; margin: -.375rem 0; color: inherit; text-decoration-color: var(--control); }
.actions { display: flex; flex: 0 1 auto !important; gap: .75rem; }
.actions .button { margin: 0; width: auto; }
.status { display: inline-flex; align-items: center; gap: .375rem; font-size: .875rem; font-weight: 600; }
.status .icon { width: 1.125rem; height: 1.125rem; stroke-width: 2; }
.good { color: var(--good); } .warn { color: var(--warn); } .off { color: var(--dim); }
.notice, .banner {
  display: flex; gap: .75rem; margin: 1rem 0 0; padding: .75rem 1rem; border: 1px solid currentColor; border-radius: .5rem;
}
.notice { color: var(--good); background: var(--good-soft); font-weight: 550; }
.banner { color: var(--warn); background: var(--warn-soft); }
.banner h2 { margin: 0; } .banner p { margin: .125rem 0 0; color: var(--text); }
fieldset { margin: 1.5rem 0 0; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin: 0 0 .5rem; font-weight: 600; }
.card input[type=radio] { appearance: none; width: auto; min-height: 0; padding: 0; margin: 0; }
.kinds { display: grid; grid-template-columns: repeat(auto-fill, minmax(5.75rem, 1fr)); gap: .5rem; }
.kinds legend { grid-column: 1 / -1; }
.kinds label {
  position: relative; display: flex; flex-direction: column; align-items: center; justify-content: center; gap: .25rem; margin: 0;
  min-height: 4.5rem; padding: .5rem .125rem; border: 1px solid var(--control); border-radius: .5rem; font-size: .8125rem; font-weight: 500; cursor: pointer;
}
.kinds .icon { width: 1.75rem; height: 1.75rem; }
.kinds input[type=radio] { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; border-radius: .5rem; background: none; cursor: pointer; }
.kinds label:hover { background: var(--soft); }
.kinds label:has(:checked) { color: var(--accent); background: var(--soft); border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); font-weight: 650; }
.hint { margin: .375rem 0 0; }
.places button + button { margin-top: .75rem; }
.more { margin: 1.25rem 0 0; font-size: 1rem; }
.more summary { padding: 0; }
.formats { margin: 0; }
.option { display: flex; align-items: center; gap: .625rem; min-height: 2.75rem; margin: 0; font-weight: 400; cursor: pointer; }
.card .option input[type=radio] { flex: none; width: 1.25rem; height: 1.25rem; border-radius: 50%; }
.card .option input:checked { border: .375rem solid var(--accent); }
.back { margin-top: .5rem; }
.large { min-height: 3.5rem; font-size: 1.125rem; }
.steps { margin: .5rem 0 0; padding: 0; list-style: none; counter-reset: step; }
.steps li { position: relative; padding: .25rem 0 .25rem 2.5rem; min-height: 2.25rem; counter-increment: step; }
.steps li::before {
  content: counter(step); position: absolute; left: 0; top: .1875rem; display: grid; place-items: center; width: 1.75rem; height: 1.75rem;
  border-radius: 50%; color: var(--accent); background: var(--soft); font-weight: 700; font-size: .9375rem;
}
h1 + .steps { margin-top: 1rem; }
.stores { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0; }
.steps .stores li { min-height: 0; padding: 0; counter-increment: none; }
.steps .stores li::before { content: none; }
.steps .picture { width: 10rem; margin: .5rem 0; }
.scan { display: grid; gap: 1rem; justify-items: center; text-align: center; }
.scan p:first-child { margin: 0; }
.short-code { font: 700 1.25rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; white-space: nowrap; }
.qr { width: 16rem; max-width: 100%; border-radius: .5rem; }
.copy {
  margin: .75rem 0 0; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--page);
  font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; white-space: pre-wrap; user-select: all; -webkit-user-select: all;
}
.danger { color: #fff; background: #b02525; } .danger:hover { color: #fff; background: #8f1d1d; }
.pair > .button { margin: 0; }
.alert p { margin: 0; } .alert a { display: inline-flex; align-items: center; min-height: 2.75rem; color: inherit; }
.spinner { display: block; width: 2.5rem; height: 2.5rem; border: .25rem solid var(--line); border-top-color: var(--accent); border-radius: 50%; }
@media (prefers-reduced-motion: no-preference) { .spinner { animation: turn 1s linear infinite; } }
@keyframes turn { to { transform: rotate(1turn); } }
@media (min-width: 40rem) {
  .scan { grid-template-columns: auto 1fr; justify-items: start; align-items: center; gap: 1.5rem; text-align: left; }
  .kinds { grid-template-columns: repeat(4, 1fr); }
  .places { display: grid; grid-template-columns: 1fr 1fr; gap: 0 .75rem; }
  .places legend, .places .hint { grid-column: 1 / -1; }
  .places button + button { margin: 0; }
}
@media (max-width: 30rem) {
  body { padding: 1rem .75rem; gap: 1rem; }
  main { padding: 1.5rem 1.25rem; }
  .actions { flex: 1 0 100% !important; }
  .actions .button { flex: 1; }
}
.sheet > main { max-width: 40rem; text-align: center; }
.sheet .qr { display: block; margin: 1rem auto 0; }
.sheet .address { font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; }
.languages { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); gap: 1.5rem; text-align: left; }
@page sheet { size: A5 portrait; margin: 9mm; }
@media print {
  :root:has(> .sheet) { font-size: 75%; background: #fff; }
  .sheet { display: block; page: sheet; min-height: 0; padding: 0; background: none; }
  .sheet > :is(header, main) { max-width: none; }
  .sheet > main { margin-top: 1rem; padding: 0; border: 0; box-shadow: none; }
  .sheet > footer, .sheet .screen { display: none; }
  .sheet h1 { font-size: 1.25rem; }
  .sheet .qr { width: 48mm; margin-top: .5rem; }
  .languages { grid-template-columns: 1fr 1fr; }
}
@media (forced-colors: active) { button, .button, .mark, .badge { border: 1px solid ButtonText; } }
`;
