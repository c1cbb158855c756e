/**
 * Style sheet of an exported file, in the page's colours. The file's content policy allows it by its hash, which a test checks.
 */
export const htmlStyleHash = '1dkZeq6nsRsqv11J9s8bwilp/EXpwn+sAwP3Ih01JKw=';

export const htmlStyle = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#fbfbfa, #111113);
  --surface: light-dark(#ffffff, #19191b);
  --sunken: light-dark(#f5f5f3, #0d0d0f);
  --line: light-dark(rgb(26 26 24 / 8%), rgb(255 255 255 / 8%));
  --ink: light-dark(#1a1a18, #ececea);
  --ink-2: light-dark(#54544f, #b3b3af);
  --amber: light-dark(#9c4f00, #eaaa5a);
  --danger: light-dark(#a3241b, #f59388);
  --sans: "Inter", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif;
  --mono: "JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace;
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--canvas); color: var(--ink); font: 400 0.9375rem/1.5rem var(--sans); }
main { max-width: 45rem; margin: 0 auto; padding: 32px 24px 64px; }
header { margin-bottom: 32px; }
h1 { margin: 0 0 8px; font: 600 1.25rem/1.75rem var(--sans); overflow: clip; overflow-wrap: anywhere; }
h2, h3 { margin: 0; font: 600 0.9375rem/1.5rem var(--sans); overflow-wrap: anywhere; min-width: 0; }
p { margin: 0; }
.kind, .when, .facts, .label, .note { color: var(--ink-2); font: 400 0.8125rem/1.125rem var(--sans); font-variant-numeric: tabular-nums; }
.entry { margin-top: 16px; padding: 12px 16px 16px; overflow: clip; background: var(--surface); border: 1px solid var(--line); border-radius: 14px; }
.entry.thinking { background: none; }
.entry.note { padding: 4px 16px; background: none; border-color: transparent; }
.note > .head h2 { font: inherit; }
.entry .entry { background: var(--canvas); }
.prompt > .head > :first-child::before { content: ""; display: inline-block; width: 8px; height: 8px; margin-right: 8px; border-radius: 8px; background: var(--amber); }
.error > .head h2 { color: var(--danger); }
.head { display: flex; flex-wrap: wrap; gap: 0 16px; align-items: baseline; justify-content: space-between; }
.facts { margin: 4px 0 0; overflow-wrap: anywhere; }
ul { margin: 0; padding: 0; list-style: none; }
summary { cursor: pointer; }
.label { margin-top: 12px; }
.outcome { margin-top: 12px; padding-top: 8px; border-top: 1px solid var(--line); font: 400 0.8125rem/1.25rem var(--sans); font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.outcome strong { font-weight: 600; }
.prose, pre, .said { background: var(--sunken); color: var(--ink); }
.prose, pre { margin: 4px 0 0; padding: 8px 12px; border-radius: 8px; overflow: clip; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; }
.head + .prose, .facts + .prose { margin-top: 8px; }
pre { font: 400 0.8125rem/1.125rem var(--mono); tab-size: 2; }
code { font: inherit; }
.thinking .prose { color: var(--ink-2); }
.said { display: inline-block; max-width: 100%; padding: 0 3px; overflow: clip; vertical-align: bottom; border-radius: 4px; font-weight: 400; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  main { padding: 24px 12px 48px; }
  .entry { padding: 12px; }
  .entry.note { padding: 4px 12px; }
}
@media print {
  :root { color-scheme: light; }
  main { max-width: none; padding: 0; }
  .head { break-after: avoid; }
  .prose, pre, .said { border: 1px solid var(--line); }
}
`;
