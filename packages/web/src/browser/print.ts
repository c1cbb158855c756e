// Prints a conversation as a whole, in light colours: on paper nothing scrolls, and there is nothing to press.
const sheet = new CSSStyleSheet();
sheet.replaceSync(`@media print {
  :root, :host { color-scheme: light; }
  :host, main { display: block; height: auto; }
  :host, .scroll, .row { overflow: visible; }
  * { max-height: none !important; }
  .row { content-visibility: visible; break-inside: avoid-page; }
  aside, .dock, .foot, .tools, .actions, .back, .presence, .mode, button:not(.line, .name) { display: none !important; }
}`);

addEventListener('beforeprint', () => {
  document.adoptedStyleSheets = [sheet];
  extendAll(document);
});

/** Adds the sheet to all shadow roots that do not have it. */
function extendAll(root: Document | ShadowRoot): void {
  for (const { shadowRoot } of root.querySelectorAll('*')) {
    if (!shadowRoot) continue;
    if (!shadowRoot.adoptedStyleSheets.includes(sheet)) shadowRoot.adoptedStyleSheets.push(sheet);
    extendAll(shadowRoot);
  }
}
