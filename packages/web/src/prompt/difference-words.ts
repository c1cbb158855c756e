import { type ChangedMember, findDifference, type InteractionItem, type Items, type Json } from '@parleyhq/core';
import { html, type TemplateResult } from 'lit';
import { renderUntrusted } from '../ui/untrusted-text.ts';

/** Limits of what is named: one line should be enough. */
const mostNames = 3;
const longestValue = 60;

/** Says in one line how an approval differs from the last answered one of its kind; undefined if there is nothing to say. */
export function describeDifference(items: Items, current: InteractionItem): TemplateResult | undefined {
  if (current.request?.payload.interactionType !== 'approval') return undefined;
  const difference = findDifference(items, current);
  if (!difference) return isFirst(items) ? html`Nothing of its kind was answered in this session before.` : undefined;
  const { changed, wasAllowed } = difference;
  const same = difference.same.filter((path) => path.at(-1) !== 'kind'); // says how something is shown
  const last = `last time, when it was ${wasAllowed ? 'allowed' : 'denied'}`;
  if (changed.length === 0) return html`The same as ${last}.`;
  const [first, ...others] = changed;
  const kept = same.length === 0 ? html`Unlike ${last}` : html`Same ${listNames(same)} as ${last}`;
  const news =
    others.length > 0 || !first ? html`other ${listNames(changed.map(({ path }) => path))}` : renderChange(first);
  return html`${kept}; ${news}.`;
}

/** Whether all of the session is loaded, and people have answered other approvals in it: else the first one is nothing special. */
function isFirst(items: Items): boolean {
  let isWhole = false;
  let hasOthers = false;
  for (const item of items.values()) {
    isWhole ||= item.seq === 1;
    hasOthers ||= item.kind === 'interaction' && item.response?.payload.action === 'approve';
  }
  return isWhole && hasOthers;
}

function renderChange({ path, before, after }: ChangedMember): TemplateResult {
  const name = nameOf(path);
  if (before === undefined) return html`${name} is new`;
  if (after === undefined) return html`no ${name} any more`;
  const [old, now] = [before, after].map(toText);
  if (old === undefined || now === undefined) return html`other ${name}`;
  return html`other ${name}: <code>${renderUntrusted(old)}</code> → <code>${renderUntrusted(now)}</code>`;
}

/** Returns a short value as text; undefined for one that does not fit into a line. */
function toText(value: Json): string | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= longestValue && !text.includes('\n') && text !== '' ? text : undefined;
}

function listNames(paths: readonly (readonly string[])[]): TemplateResult {
  const names = paths.slice(0, mostNames).map((path, index) => html`${index > 0 ? ', ' : ''}${nameOf(path)}`);
  return html`${names}${paths.length > mostNames ? ` and ${paths.length - mostNames} more` : ''}`;
}

/** A name of few words, which cannot be taken for a sentence of Parley. */
const plainName = /^[a-z0-9]{1,20}([_-][a-z0-9]{1,20}){0,2}$/i;

/** A member by its last name, in words: `file_path` is the file path. Others than plain names are quoted. */
function nameOf(path: readonly string[]): TemplateResult {
  const name = path.at(-1) ?? 'arguments';
  if (plainName.test(name)) return html`${name.replaceAll('_', ' ')}`;
  return html`<code>${renderUntrusted(name.length > longestValue ? `${name.slice(0, longestValue)} …` : name)}</code>`;
}
