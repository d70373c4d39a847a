/** Starts Swagger UI, and fixes its problems for keyboards and screen readers. Runs in the reader's browser. */
export const referenceScript = `
const root = document.getElementById("reference");

// Swagger UI has a dark theme of its own, behind a class.
const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

const ui = SwaggerUIBundle({
  url: root.dataset.document,
  domNode: root,
  deepLinking: true,
  // Of a longer list Swagger UI renders only what is in sight: readers could not find the rest in the page.
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  oauth2RedirectUrl: root.dataset.redirect,
});
ui.initOAuth({ usePkceWithAuthorizationCodeGrant: true });

const name = (selector, label) => {
  for (const element of root.querySelectorAll(selector)) {
    if (!element.hasAttribute("aria-label")) element.setAttribute("aria-label", label(element));
  }
};
new MutationObserver(() => {
  name(".servers select", () => "Server");
  name(".content-type, .response-control-media-type select", () => "Media type");
  name(".body-param textarea", () => "Request body");
  name("tr[data-param-name] :is(select, textarea, input)", (field) => field.closest("tr").dataset.paramName);
  // This page has its main part, and a heading that Swagger UI's go below without a gap.
  for (const inner of root.querySelectorAll("main")) inner.setAttribute("role", "group");
  for (const heading of root.querySelectorAll(":is(h1, h2, h3, h4, h5):not([aria-level])")) {
    heading.setAttribute("aria-level", heading.matches("h1") ? 2 : Math.max(2, Number(heading.tagName[1]) - 1));
  }
  for (const scrolling of root.querySelectorAll("pre:not([tabindex])")) scrolling.tabIndex = 0;
  // A link inside a button; the button does what the link would.
  for (const link of root.querySelectorAll("button a[href]")) link.removeAttribute("href");
}).observe(root, { childList: true, subtree: true });
`;
