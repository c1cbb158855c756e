import { readGrantRule } from '@parleyhq/core';
import { html, type TemplateResult } from 'lit';
import { said } from '../untrusted-text.ts';

/** What a grant covers, in words; its parts stand apart, so that no two rules read the same. */
export function renderRule(grantKey: string, toolName: string): TemplateResult {
  const rule = readGrantRule(grantKey);
  if (rule.kind === 'call') return html`<code>${said(rule.toolName)}</code> with exactly these arguments`;
  const parts = rule.parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part)));
  return html`what <code>${said(toolName)}</code> asks for as${parts.map((part) => html` <code>${said(part)}</code>`)}`;
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** In the largest unit that it is a whole number of. */
export function describeSpan(ms: number): string {
  const [unit, size] = units.find(([, length]) => ms >= length && ms % length === 0) ?? units[3];
  const count = Math.max(1, Math.round(ms / size));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
