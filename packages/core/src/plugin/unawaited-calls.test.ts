import { describe, expect, test } from 'vitest';
import { callFaults } from './call-faults.ts';
import { UnawaitedCalls } from './unawaited-calls.ts';

function begin() {
  const words: string[] = [];
  return { words, heard: new UnawaitedCalls((unheard) => words.push(unheard.words)) };
}

const fails = async () => {
  throw new Error('no route');
};

describe('[PLG8] calls that a handler does not await', () => {
  test('an unawaited question is reported when the handler ends, a step only if it failed', async () => {
    const { words, heard } = begin();
    void heard.watch('ctx.confirm', async () => true);
    void heard.watchFailure('ctx.step("quiet")', async () => 1);
    void heard.watchFailure('ctx.step("send")', fails);
    await new Promise((done) => setTimeout(done));
    expect(words).toEqual([]);
    heard.end();
    expect(words).toEqual([
      'nobody awaited ctx.confirm: the handler went on without the answer',
      'nobody awaited ctx.step("send"): it failed',
    ]);
  });

  test('a failure after the end is reported when it happens, and once', async () => {
    const { words, heard } = begin();
    let fail: (error: Error) => void = () => undefined;
    const promise = new Promise<never>((_, reject) => {
      fail = reject;
    });
    void heard.watchFailures('ctx.state', { get: () => promise }).get();
    heard.end();
    expect(words).toEqual([]);
    fail(new Error('no route'));
    await expect(promise).rejects.toThrow('no route');
    await new Promise((done) => setTimeout(done));
    expect(words).toEqual(['nobody awaited ctx.state.get: it failed']);
  });

  test('awaited calls, and those of a stopped call, are not reported', async () => {
    const { words, heard } = begin();
    await expect(heard.watchFailure('ctx.step("send")', fails)).rejects.toThrow('no route');
    expect(await heard.watch('ctx.confirm', async () => true)).toBe(true);
    void heard.watch('ctx.ask', fails);
    heard.stop();
    heard.end();
    await new Promise((done) => setTimeout(done));
    expect(words).toEqual([]);
  });
});

test('[PLG8] the error for a value that is not JSON names it in a sentence', () => {
  const cause = new TypeError('"mean" is NaN');
  expect(callFaults.notJson('invalid_result', 'the result', cause)).toMatchObject({
    code: 'invalid_result',
    message: 'The result is not JSON: "mean" is NaN.',
  });
  expect(callFaults.stateNotJson('k', 'a cycle').message).toBe('state.set("k"): not JSON: a cycle.');
  expect(callFaults.notDurable('talk').message).toBe('"talk" cannot go on after a restart.');
});
