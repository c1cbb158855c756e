import { describe, expect, test } from 'vitest';
import { ToolError } from '../basics/error.ts';
import {
  requireApproval,
  requireAsk,
  requireCallback,
  requireConfirm,
  requireStep,
  requireWait,
} from './author-check.ts';
import { readRequest } from './read-request.ts';

const fn = () => undefined;
const approval = (demand: unknown) =>
  requireApproval(demand, (request, { code }) => {
    readRequest(request, { inherited: {}, matches: () => true, refuse: (words) => new ToolError(code, words) });
  });

describe('[PLG8] arguments that an author passes to the context', () => {
  test.each<[string, () => void, string]>([
    ['approve without a demand', () => approval(undefined), 'ctx.approve: needs an object with a key'],
    ['approve with scope', () => approval({ key: 'a', scope: ['once'] }), 'Did you mean "scopes"'],
    ['approve with a number as key', () => approval({ key: 1 }), 'key: must be'],
    ['approve with no scopes', () => approval({ key: 'a', scopes: [] }), 'scopes: must be a list'],
    ['approve with another scope', () => approval({ key: 'a', scopes: ['for ever'] }), '"for ever" must be one of'],
    ['approve with a check that is none', () => approval({ key: 'a', check: true }), 'check: must be a function'],
    ['approve with an isEdit that is none', () => approval({ key: 'a', isEdit: 1 }), 'isEdit: must be true or false'],
    ['approve with no time', () => approval({ key: 'a', grantTtlMs: 0 }), 'grantTtlMs: must be a number above 0'],
    ['approve with buttons', () => approval({ key: 'a', actions: [] }), 'actions'],
    ['approve with a wrong member', () => approval({ key: 'a', risk: 'huge' }), 'risk'],
    ['ask without a key', () => requireAsk({}, undefined, undefined), 'ctx.ask: needs a key before the schema'],
    ['ask without a schema', () => requireAsk('a', 1, undefined), 'needs the schema of an object'],
    ['ask with options that are none', () => requireAsk('a', {}, 1), 'the options must be an object'],
    ['ask with editable', () => requireAsk('a', {}, { editable: true }), 'editable'],
    ['ask with a validate that is none', () => requireAsk('a', {}, { validate: 1 }), 'validate: must be a function'],
    ['ask with reasonRequired', () => requireAsk('a', {}, { reasonRequired: ['submit'] }), 'no "reasonRequired"'],
    ['ask with a signal that is none', () => requireAsk('a', {}, { signal: 1 }), 'signal: must be an AbortSignal'],
    ['approve with a signal that is none', () => approval({ key: 'a', signal: 1 }), 'signal: must be an AbortSignal'],
    ['confirm without a key', () => requireConfirm('Really?', undefined), 'ctx.confirm: needs a key and a question'],
    ['step without a function', () => requireStep('a', undefined), 'ctx.step: needs a key and a function'],
    ['callback without a key', () => requireCallback({}, undefined), 'ctx.callback: needs a key'],
    ['callback with ttl', () => requireCallback('a', { ttl: 1 }), 'there is no "ttl"'],
    ['callback with no time', () => requireCallback('a', { ttlMs: 0 }), 'ttlMs: must be a number above 0'],
    ['callback with a schema that is none', () => requireCallback('a', { schema: 1 }), 'schema: must be a schema'],
    ['callback for a browser that is none', () => requireCallback('a', { browser: false }), 'browser: must be true'],
    ['waitFor sent nowhere', () => requireWait('a', undefined, { from: 'a', sendTo: 'x' }), 'sendTo: must be an http'],
    ['waitFor that sends anybody', () => requireWait('a', undefined, { sendTo: 'https://a.example' }), 'must say whom'],
    ['waitFor with no signal', () => requireWait('a', undefined, { signal: true }), 'signal: must be an AbortSignal'],
    ['waitFor from nobody', () => requireWait('a', undefined, { from: 1 }), 'from: must be the id of a person'],
    ['callback with options that are none', () => requireCallback('a', 1), 'the options must be an object'],
    ['waitFor without a key', () => requireWait('', undefined, undefined), 'ctx.waitFor: needs the key'],
    ['waitFor with options second', () => requireWait('a', { timeoutMs: 1 }, undefined), 'the options come third'],
    ['waitFor with a schema that is none', () => requireWait('a', 1, undefined), 'the schema must be one'],
    ['waitFor with no time', () => requireWait('a', undefined, { timeoutMs: -1 }), 'timeoutMs: must be'],
  ])('%s is refused, with what was expected', (_, call, words) => {
    expect(call).toThrow(words);
  });

  test('valid arguments are accepted', () => {
    approval({
      key: ['deploy', 'eu'],
      scopes: ['once', 'always'],
      check: fn,
      isEdit: false,
      grantTtlMs: 1000,
      title: 'T',
    });
    approval({ key: fn });
    requireAsk('a', {}, undefined);
    requireAsk('a', fn, { validate: fn, title: 'T' });
    requireConfirm('a', 'Really?');
    requireStep('a', fn);
    requireCallback('a', { schema: {}, ttlMs: 1 });
    requireWait('a', fn, { timeoutMs: null });
  });
});
