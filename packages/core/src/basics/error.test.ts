import { describe, expect, test } from 'vitest';
import { StoreError } from '../ports/event-store.ts';
import { RefusalError, ToolError, toolErrorCodes, toToolError, wireErrors } from './error.ts';

describe('errors on the wire', () => {
  test('[INT5] the codes of a refused answer are in the order in which they are checked', () => {
    expect(Object.keys(wireErrors).slice(0, 9)).toEqual([
      'not_found',
      'forbidden',
      'interaction_disabled',
      'idempotency_conflict',
      'already_answered',
      'stale',
      'retry_later',
      'closed',
      'invalid',
    ]);
  });

  test.each(Object.entries(wireErrors))('[FRM1] %s has a sentence that describes it', (code, sentence) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(sentence).toMatch(/^[A-Z].*[.]$/);
  });

  test('[FRM1] a refusal carries code, sentence and details, if there are any', () => {
    expect(new RefusalError('no_turn').toWire()).toEqual({ code: 'no_turn', message: wireErrors.no_turn });
    const details = { fieldErrors: { a: 'Required.' } };
    expect(new RefusalError('invalid', { message: 'No.', details }).toWire()).toEqual({
      code: 'invalid',
      message: 'No.',
      details,
    });
  });

  test('[FRM1] the cause of a refusal is not sent', () => {
    const cause = new Error('SQLITE_FULL');
    const refusal = new RefusalError('storage_full', { cause });
    expect(refusal.cause).toBe(cause);
    expect(JSON.stringify(refusal.toWire())).not.toContain('SQLITE');
  });

  test('[DUR8] a store error has a code for the reason', () => {
    const cause = new Error('disk');
    expect(new StoreError('full', 'no space', { cause })).toMatchObject({ name: 'StoreError', code: 'full', cause });
  });
});

describe('tool errors', () => {
  test('[PLG6] the codes the model may see are these', () => {
    expect([...toolErrorCodes].sort()).toEqual(
      (
        'denied timeout cancelled interaction_unavailable invalid_args unknown_tool invalid_result tool_error handler_error ' +
        'handler_timeout invalid_outcome reprompt_limit tool_timeout interrupted orphaned call_closed withdrawn secret_refused file_gone not_supported'
      )
        .split(' ')
        .sort(),
    );
  });

  test.each<[string, unknown, { code: string; message: string }]>([
    ['a ToolError', new ToolError('denied', 'No.'), { code: 'denied', message: 'No.' }],
    ["a plugin's own code", new ToolError('no_such_room', 'Full.'), { code: 'no_such_room', message: 'Full.' }],
    ['a system error', Object.assign(new Error('no file'), { code: 'ENOENT' }), { code: 'ENOENT', message: 'no file' }],
    ['a plain object with a code', { code: 'mine', message: 'words' }, { code: 'mine', message: 'words' }],
    ['a code without words', { code: 'mine' }, { code: 'mine', message: 'The tool failed.' }],
    ['an error without a code', new Error('broken'), { code: 'tool_error', message: 'broken' }],
    ['a code that is no text', { code: 7, message: 'words' }, { code: 'tool_error', message: 'words' }],
    ['a text', 'just words', { code: 'tool_error', message: 'just words' }],
    ['nothing', undefined, { code: 'tool_error', message: 'The tool failed.' }],
    ['null', null, { code: 'tool_error', message: 'The tool failed.' }],
    ['a number', 42, { code: 'tool_error', message: 'The tool failed.' }],
    ['words that are no text', { message: Object.create(null) }, { code: 'tool_error', message: 'The tool failed.' }],
  ])('[PLG6] everything that is thrown becomes a coded error: %s', (_, thrown, error) => {
    expect(toToolError(thrown)).toEqual(error);
  });

  test('[INT12] an error without a code gets the fallback code', () => {
    expect(toToolError(new Error('x'), 'handler_error')).toEqual({ code: 'handler_error', message: 'x' });
    expect(toToolError(new ToolError('denied', 'x'), 'handler_error').code).toBe('denied');
  });

  test('[PLG6] instanceof accepts a ToolError of another copy of the core, but not as a subclass', () => {
    class OtherCopy extends Error {
      override readonly name = 'ToolError';
      readonly code = 'denied';
    }
    class OutOfStock extends ToolError {}
    expect(new OtherCopy('No.')).toBeInstanceOf(ToolError);
    expect(new OutOfStock('sold', 'None left.')).toBeInstanceOf(ToolError);
    expect(new ToolError('denied', 'No.')).not.toBeInstanceOf(OutOfStock);
    for (const other of [new Error('x'), new RefusalError('no_turn'), { name: 'ToolError', code: 'x' }, null, 'text'])
      expect(other).not.toBeInstanceOf(ToolError);
  });
});
