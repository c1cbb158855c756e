import { type ApprovalScope, type Grant, type InteractionRequest, readGrantRule } from '@parleyhq/core';
import { html, type TemplateResult } from 'lit';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** Renders what a grant covers: the exact text of its rule, if one was chosen (APR7). */
export function renderGrantRule({ rule, key, toolName, plugin }: Grant): TemplateResult {
  return rule ? html`${renderUntrusted(rule.label)}` : renderRule(key, toolName ?? plugin);
}

/** Renders what an exact consent covers. Each part is in an element of its own, so that no two rules look the same. */
export function renderRule(grantKey: string, toolName: string): TemplateResult {
  const rule = readGrantRule(grantKey);
  if (rule.kind === 'call') return html`<code>${renderUntrusted(rule.toolName)}</code> with exactly these arguments`;
  const parts = rule.parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part)));
  const whose = rule.caller === undefined ? '' : html` for the program <code>${renderUntrusted(rule.caller)}</code>`;
  return html`what <code>${renderUntrusted(toolName)}</code> asks${whose} for as${parts.map((part) => html` <code>${renderUntrusted(part)}</code>`)}`;
}

/** Describes how long a lasting consent is valid. */
export function describeLife(
  { grantTtlMs, sessionTtlMs = grantTtlMs }: Pick<InteractionRequest, 'grantTtlMs' | 'sessionTtlMs'>,
  scope: ApprovalScope,
): string {
  const ms = scope === 'always' ? grantTtlMs : sessionTtlMs;
  return ms === undefined ? 'until somebody revokes it' : `for ${describeSpan(ms)}`;
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** Describes a duration in the largest unit that divides it, otherwise in seconds. */
function describeSpan(ms: number): string {
  const [unit, size] = units.find(([, length]) => ms >= length && ms % length === 0) ?? units[3];
  const count = Math.max(1, Math.round(ms / size));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
