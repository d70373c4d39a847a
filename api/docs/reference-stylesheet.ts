/**
 * What Swagger UI's own style sheet leaves hard to read. Its colours are for a white page, so it stays on one; those
 * that are too pale even there get a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
 */
export const referenceStylesheet = `
.reference main {
  color-scheme: light; --card: #fff; --text: #1b1f24; --soft: #edf1ff; --accent: #3b5bdb; --hover: #3049b5;
  color: var(--text); background: var(--card);
}
.swagger-ui .wrapper { padding: 0; }
.swagger-ui .info, .swagger-ui .information-container { display: none; }
.swagger-ui, .swagger-ui .opblock-tag, .swagger-ui .opblock-tag small { color: var(--text); }
.swagger-ui .link, .swagger-ui a.nostyle:hover { color: var(--accent); }
.swagger-ui .scheme-container { margin: 1rem 0; padding: 1rem 0; box-shadow: none; }
.swagger-ui .scheme-container .schemes { flex-wrap: wrap; gap: 1rem; }
.swagger-ui .btn.authorize { color: #14683c; border-color: #14683c; }
.swagger-ui .btn.authorize svg { fill: #14683c; }
.swagger-ui .btn.cancel { color: #9b1c1c; border-color: #9b1c1c; }
.swagger-ui .btn.execute { background: #1f5fa8; border-color: #1f5fa8; }
.swagger-ui .opblock-summary-method { text-shadow: none; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1f5fa8; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #14683c; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #875000; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #9b1c1c; }
.swagger-ui .opblock-summary-path, .swagger-ui .opblock-summary-description { overflow-wrap: anywhere; }
.swagger-ui .parameter__name.required span, .swagger-ui .parameter__name.required::after,
.swagger-ui .prop-format, .swagger-ui .parameter__in, .swagger-ui .parameter__deprecated { color: #9b1c1c; }
.swagger-ui .parameter__in, .swagger-ui .prop-format, .swagger-ui .parameter__extension { color: #4b5563; }
.swagger-ui .response-control-media-type__accept-message { color: #14683c; }
.swagger-ui .responses-inner h4, .swagger-ui .tab li, .swagger-ui table.headers td { color: var(--text); }
.swagger-ui .renderedMarkdown code, .swagger-ui .markdown code { color: #6d28a8; background: var(--soft); }
.swagger-ui .json-schema-2020-12__constraint { color: #fff; background: #5b4a8a; }
.swagger-ui .json-schema-2020-12__attribute { color: #4b5563; }
.swagger-ui .json-schema-2020-12__attribute--primary { color: #1f5fa8; }
.swagger-ui .json-schema-2020-12-keyword__value { color: #4b5563; }
.swagger-ui .microlight span[style*="211, 99, 99"] { color: #ffb3b3 !important; }
.swagger-ui .table-container, .swagger-ui .responses-inner, .swagger-ui .body-param { overflow-x: auto; }
`;
