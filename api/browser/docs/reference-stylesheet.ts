/**
 * Makes Swagger UI's style sheet legible. Its two themes use our pages' colours; text colours that are too pale on
 * these get a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
 */
export const referenceStylesheet = `
.reference main {
  --good: #14683c; --link: #1f5fa8; --quiet: #4b5563; --inline: #6d28a8;
  --get: #1f5fa8; --post: #14683c; --put: #875000; --delete: #9b1c1c;
}
@media (prefers-color-scheme: dark) {
  .reference main { --good: #6fd39a; --link: #8ec2ff; --quiet: #b7bfca; --inline: #d3aef5; }
}
html.dark-mode .swagger-ui { color: var(--text); background: none; }
html.dark-mode .swagger-ui .opblock.opblock-put .opblock-section-header { background: #3d2716; }
.swagger-ui .wrapper { padding: 0; }
.swagger-ui .info, .swagger-ui .information-container { display: none; }
.swagger-ui, .swagger-ui .opblock-tag, .swagger-ui .opblock-tag small { color: var(--text); }
.swagger-ui .link, .swagger-ui a.nostyle:hover { color: var(--accent); }
.swagger-ui .scheme-container { margin: 1rem 0; padding: 1rem 0; box-shadow: none; }
.swagger-ui .scheme-container .schemes { flex-wrap: wrap; gap: 1rem; }
.swagger-ui .btn.authorize { color: var(--good); border-color: var(--good); }
.swagger-ui .btn.authorize svg { fill: var(--good); }
.swagger-ui .btn.cancel { color: var(--bad); border-color: var(--bad); }
.swagger-ui .btn.execute { color: #fff; background: var(--get); border-color: var(--get); }
.swagger-ui .opblock .opblock-summary-method { color: #fff; text-shadow: none; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: var(--get); }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: var(--post); }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: var(--put); }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: var(--delete); }
.swagger-ui .opblock-summary-path, .swagger-ui .opblock-summary-description { overflow-wrap: anywhere; }
.swagger-ui .parameter__name.required span, .swagger-ui .parameter__name.required::after,
.swagger-ui .prop-format, .swagger-ui .parameter__in, .swagger-ui .parameter__deprecated { color: var(--bad); }
.swagger-ui .parameter__in, .swagger-ui .prop-format, .swagger-ui .parameter__extension { color: var(--quiet); }
.swagger-ui .response-control-media-type__accept-message { color: var(--good); }
.swagger-ui .responses-inner h4, .swagger-ui .tab li, .swagger-ui table.headers td { color: var(--text); }
.swagger-ui .renderedMarkdown code, .swagger-ui .markdown code { color: var(--inline); background: var(--soft); }
.swagger-ui .json-schema-2020-12__constraint { color: #fff; background: #5b4a8a; }
.swagger-ui .json-schema-2020-12__attribute { color: var(--quiet); }
.swagger-ui .json-schema-2020-12__attribute--primary { color: var(--link); }
.swagger-ui .json-schema-2020-12-keyword__value { color: var(--quiet); }
.swagger-ui .microlight span[style*="211, 99, 99"] { color: #ffb3b3 !important; }
.swagger-ui .table-container, .swagger-ui .responses-inner, .swagger-ui .body-param { overflow-x: auto; }
`;
