import { type Actor, nameOf, type Principal } from '@parleyhq/core';
import type { TemplateResult } from 'lit';
import { describeDevice } from '../browser/tab.ts';
import { renderUntrusted } from './untrusted-text.ts';

/** The person and the tab that look at the page. */
export interface Self {
  readonly clientId: string;
  readonly principal: Principal;
}

/** Whether this tab did it. A client chooses its id, and others see it: so the principal must be the same, too (RPL3). */
export function isSelf(by: Actor, { clientId, principal }: Self): boolean {
  return by.clientId === clientId && by.principal === principal.id;
}

/** The device that somebody used, in its own words; undefined if it gave none. */
export function renderDevice({ label }: Actor): TemplateResult | undefined {
  return label ? renderUntrusted(label) : undefined;
}

/** Whether it may be another tab of this browser, for all that a device says of itself. */
export function mayBeHere({ principal: id, label }: Actor, { principal }: Self): boolean {
  return id === principal.id && label === describeDevice();
}

/** Another person by name; undefined for this person, whose token says no name, on another device. */
export function renderPerson(by: Actor, { principal }: Self): TemplateResult | undefined {
  return by.name === undefined && by.principal === principal.id ? undefined : renderUntrusted(nameOf(by));
}
