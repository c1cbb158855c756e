import type { ServerFrame } from '@parleyhq/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Bundle, type Mutation } from '../support/bundle.ts';
import { rawRequest, upgradeLines } from '../support/raw-http.ts';
import { Tab } from '../support/tab.ts';
import type { start } from './subject.ts';

type Subject = Awaited<ReturnType<typeof start>>;

interface Mutant {
  readonly mutation: Mutation;
  /** The attack; it passes on the sound server. */
  attack(subject: Subject): Promise<void>;
  /** Error with which it fails on the faulty server. */
  readonly finds: RegExp;
}

/**
 * Removed guards, each with an attack that it stops; the file that tests the guard is named. See also
 * ../kill-nine/mutants.long.test.ts.
 */
const mutants: Record<string, Mutant> = {
  '[SEC3] no Origin check (origin.test.ts)': {
    mutation: { marker: 'origin', replacement: "return 'browser';" },
    async attack({ port }) {
      const lines = upgradeLines([`Host: 127.0.0.1:${port}`, 'Origin: https://evil.example']);
      expect((await rawRequest(port, lines)).status).toBe(403);
    },
    finds: /101/,
  },
  '[SEC4, APR6] no role check on answers (refusals.test.ts)': {
    mutation: { marker: 'role', replacement: '' },
    async attack(subject) {
      const { session, prompt } = await askThrough(subject);
      const { toolCallId: callId, interactionId } = prompt;
      const ids = { sessionId: session, callId, interactionId };
      expect(await answerAsViewer(subject, { ...ids, action: 'approve' })).toBe('forbidden');
    },
    finds: /accepted/,
  },
  '[INT5, APR2] no digest check (refusals.test.ts)': {
    mutation: { marker: 'digest', replacement: '' },
    async attack(subject) {
      const { tab, session, prompt } = await askThrough(subject);
      const reply = await tab.answer(session, prompt, { action: 'approve', digest: 'of something else' });
      expect(reply.ok ? 'accepted' : reply.error.code).toBe('stale');
    },
    finds: /accepted/,
  },
  '[FRM5] no buffer limit (slow-reader.long.test.ts)': {
    mutation: { marker: 'buffer-limit', replacement: 'return;' },
    async attack(subject) {
      const { tab, session } = await askThrough(subject);
      const slow = await Tab.open(`ws://127.0.0.1:${subject.port}/ws`);
      await slow.follow(session);
      slow.pause();
      const text = 'x'.repeat(200_000);
      // 36 MB: more than the limit and the system's own buffers.
      for (let n = 0; n < 9; n += 1) await tab.say(session, text, `m${n}`);
      for (let n = 0; n < 171; n += 1) {
        await tab.ask({ type: 'edit_queued', sessionId: session, messageId: `m${n % 9}`, text: `${n}${text}` });
      }
      const metrics = await (await fetch(`http://127.0.0.1:${subject.port}/metrics`)).text();
      const [, dropped = 'none'] = /parley_connections_dropped_total\{reason="slow"\} (\d+)/.exec(metrics) ?? [];
      expect(dropped).toBe('1');
      slow.terminate();
    },
    finds: /none/,
  },
};

/** Opens a tab with a prompt. */
async function askThrough({ port }: Subject) {
  const tab = await Tab.open(`ws://127.0.0.1:${port}/ws`);
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call ask {}');
  return { tab, session, prompt: await tab.prompt(session) };
}

/** Answers as a viewer. @returns the outcome */
async function answerAsViewer({ server }: Subject, answer: object): Promise<string> {
  let onReply: (code: string) => void = () => undefined;
  const replied = new Promise<string>((resolve) => {
    onReply = resolve;
  });
  const onMessage = (text: string) => {
    const frame = JSON.parse(text) as ServerFrame;
    if (frame.type === 'reply') onReply(frame.ok ? 'accepted' : frame.error.code);
  };
  const link = server.connect({ onMessage, onClose: () => undefined }, { id: 'guest', role: 'viewer' });
  link.send(JSON.stringify({ type: 'hello', protocol: 1, interaction: { supported: true, enabled: true } }));
  link.send(JSON.stringify({ type: 'tool_interaction_response', requestId: 'r', ...answer }));
  return replied.finally(() => link.close());
}

async function run(program: Bundle, attack: Mutant['attack']): Promise<void> {
  const { start: startIt } = (await import(program.file)) as { start: typeof start };
  const subject = await startIt();
  await attack(subject).finally(() => subject.server.close());
}

const subjectFile = new URL('subject.ts', import.meta.url);
let sound: Bundle;
beforeAll(async () => {
  sound = await Bundle.make(subjectFile);
});
afterAll(() => sound.remove());

test.each(Object.entries(mutants))('%s is found out', async (_, { mutation, attack, finds }) => {
  await run(sound, attack);
  const faulty = await Bundle.make(subjectFile, mutation);
  await expect(run(faulty, attack).finally(() => faulty.remove())).rejects.toThrow(finds);
});
