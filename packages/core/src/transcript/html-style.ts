/**
 * Style sheet of an exported file, in the page's colours. The file's content policy allows it by its hash, which a test checks.
 */
export const htmlStyleHash = 'vNHvsPFSkVHNyq/vhFvT8jKSAYjpKe2bHoI6AIch/h0=';

export const htmlStyle = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#faf9f7, #151517);
  --surface: light-dark(#ffffff, #1c1c1f);
  --sunken: light-dark(#f3f1ed, #101012);
  --line: light-dark(#e6e2da, #2c2c31);
  --ink: light-dark(#1b1a17, #edecea);
  --quiet: light-dark(#57534b, #b3b1ac);
  --accent: light-dark(#1d5f5a, #85cdc4);
  --signal: light-dark(#8f4600, #f2ae5c);
  --danger: light-dark(#a3241b, #f59388);
  --sans: ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 400 0.9375rem/1.55 var(--sans); }
main { max-width: 52rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
header { margin-bottom: 2rem; }
h1 { margin: 0.15rem 0 0.75rem; font-size: 1.6rem; line-height: 1.25; overflow: clip; overflow-wrap: anywhere; }
h2, h3 { margin: 0; font-size: 1rem; line-height: 1.4; overflow-wrap: anywhere; min-width: 0; }
h3 { font-size: 0.9375rem; }
p { margin: 0; }
.kind { color: var(--accent); font-size: 0.8125rem; font-weight: 600; }
.entry { margin-top: 0.875rem; padding: 0.875rem 1.125rem 1rem; overflow: clip; background: var(--surface); border: 1px solid var(--line); border-left: 3px solid var(--line); border-radius: 8px; }
.entry.person { border-left-color: var(--accent); }
.entry.prompt { border-left-color: var(--signal); }
.entry.error { border-left-color: var(--danger); }
.entry.thinking { background: none; }
.entry.note { padding: 0.25rem 1.125rem; background: none; border-color: transparent; }
.note > .head h2 { color: var(--quiet); font-size: 0.875rem; }
.entry .entry { background: var(--paper); }
.person > .head h2 { color: var(--accent); }
.prompt > .head h2, .prompt > .head h3 { color: var(--signal); }
.error > .head h2 { color: var(--danger); }
.head { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; justify-content: space-between; }
.when, .facts, .label { color: var(--quiet); font-size: 0.8125rem; font-variant-numeric: tabular-nums; }
.facts { margin: 0.375rem 0 0; padding: 0; list-style: none; overflow-wrap: anywhere; }
.label { margin-top: 0.75rem; }
.outcome { margin-top: 0.625rem; padding-top: 0.5rem; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.outcome time { font-variant-numeric: tabular-nums; }
.prose, pre, .said { background: var(--sunken); border: 1px solid var(--line); color: var(--ink); }
.prose, pre { margin: 0.375rem 0 0; padding: 0.625rem 0.875rem; border-radius: 6px; overflow: clip; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.head + .prose, .facts + .prose { margin-top: 0.625rem; }
pre { font: 400 0.8125rem/1.5 var(--mono); tab-size: 2; }
code { font: inherit; }
.thinking .prose { color: var(--quiet); font-style: italic; }
.said { display: inline-block; max-width: 100%; padding: 0 0.3em; overflow: clip; border-radius: 4px; font-weight: 400; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  main { padding: 1.5rem 0.75rem 3rem; }
  .entry { padding: 0.75rem 0.75rem 0.875rem; }
  .entry.note { padding: 0.25rem 0.75rem; }
  .entry .entry { margin-left: -0.25rem; margin-right: -0.25rem; }
}
@media print {
  :root { color-scheme: light; }
  main { max-width: none; padding: 0; }
  .head { break-after: avoid; }
}
`;
