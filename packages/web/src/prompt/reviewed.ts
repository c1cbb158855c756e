import type { InteractionRequest, Payload, ToolItem } from '@parleyhq/core';
import { html, nothing } from 'lit';
import type { Viewer } from './viewer.ts';

const load = () => void import('./reviewed-notes.ts').catch(() => undefined); // most calls are not reviewed

/** Renders what a reviewer found before a person was asked. Its pass stays hidden until then: it must not sway the person (LESS3). */
export function renderReviewed({ reviewed }: InteractionRequest, isSettled: boolean) {
  if (!reviewed || (reviewed.verdict === 'pass' && !isSettled)) return nothing;
  load();
  return html`<parley-reviewed .reviewed=${reviewed}></parley-reviewed>`;
}

/** Renders which reviewer passed a call or an approval of its tool, with the button that takes reviewers off the tool. */
export function renderPass({ call, result }: ToolItem, viewer: Viewer) {
  const passes: readonly (Payload<'tool_call'>['authorised'] | undefined)[] = [
    call?.payload.authorised,
    result?.payload.authorised,
  ];
  const pass = passes.find((each) => each?.by === 'reviewer');
  if (!pass) return nothing;
  load();
  const { toolName } = (call ?? result)?.payload ?? {};
  return html`<parley-passed .pass=${pass} .toolName=${toolName} .viewer=${viewer}></parley-passed>`;
}
