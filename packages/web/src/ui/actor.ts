import { type Actor, nameOf, type Principal } from '@parleyhq/core';
import type { TemplateResult } from 'lit';
import { describeDevice } from '../browser/tab.ts';
import { renderUntrusted } from './untrusted-text.ts';

/** The person and the tab that use the page. */
export interface Self {
  readonly clientId: string;
  readonly principal: Principal;
}

/** Whether this tab did it. Clients choose their ids, and others can see them, so the principal must match, too (RPL3). */
export function isSelf(by: Actor, { clientId, principal }: Self): boolean {
  return by.clientId === clientId && by.principal === principal.id;
}

/** Renders the name that a device gave itself; undefined if it gave none. */
export function renderDevice({ label }: Actor): TemplateResult | undefined {
  return label ? renderUntrusted(label) : undefined;
}

/** Whether it may have been another tab of this browser, judging by the name that the device gave itself. */
export function mayBeHere({ principal: id, label }: Actor, { principal }: Self): boolean {
  return id === principal.id && label === describeDevice();
}

/** Renders another person's name; undefined for this person on another device, if the token has no name. */
export function renderPerson(by: Actor, { principal }: Self): TemplateResult | undefined {
  return by.name === undefined && by.principal === principal.id ? undefined : renderUntrusted(nameOf(by));
}
