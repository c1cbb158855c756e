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

addEventListener('beforeprint', () => extend(document));

/** Adds the sheet to the root and to the shadow roots in it, unless they have it. */
function extend(root: Document | ShadowRoot): void {
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
  for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) extend(shadowRoot);
}
