import { expect, test } from 'vitest';
import type { ChatEvent } from './event.ts';
import { needsFreshLogin } from './fresh-login.ts';
import { emptyHead, type Head } from './head.ts';

const head = (risk?: string) =>
  ({ ...emptyHead, prompts: [{ request: { interactionId: 'call-1.1', risk } }] }) as unknown as Head;
const answer = (approvalScope?: string) =>
  ({ type: 'interaction_response', payload: { interactionId: 'call-1.1', approvalScope } }) as unknown as ChatEvent;
const mode = (permissionMode: string) =>
  ({ type: 'session_changed', payload: { permissionMode } }) as unknown as ChatEvent;

test.each([
  ['a mode that asks nobody', head(), mode('bypassPermissions'), true],
  ['another mode', head(), mode('plan'), false],
  ['a yes for always at high risk', head('high'), answer('always'), true],
  ['a yes for always at medium risk', head('medium'), answer('always'), false],
  ['a yes for this session at high risk', head('high'), answer('session'), false],
  ['a yes for always to what is open no more', emptyHead, answer('always'), false],
])('[SEC9] %s needs a recent log-in: %#', (_, before, event, isIt) => {
  expect(needsFreshLogin(before, [answer(), event])).toBe(isIt);
});
