import { by, type RequestPart } from '@parleyhq/client/testing';
import { RefusalError } from '@parleyhq/core';
import { approval, input, oneField } from '../../samples.ts';
import { galleryNow } from '../clock.ts';
import type { GalleryState, Stage } from '../stage.ts';

const ids = (id: string) => ({ toolCallId: id.split('.')[0] ?? '', interactionId: id });
const inSeconds = (seconds: number) => new Date(galleryNow + 1000 * seconds).toISOString();

const diff = `--- src/server.ts
+++ src/server.ts
@@ -11,5 +11,6 @@ export function serve
   const app = makeApp();
-  const port = 80;
+  const port = 8080;
+  const host = "127.0.0.1";
   listen(app);
   return app;
 }`;

const plan = (text: string): RequestPart => ({ title: 'Is the plan good?', subject: { kind: 'markdown', text } });

const ask =
  (part: object, more?: (stage: Stage) => void) =>
  (stage: Stage): void => {
    stage.open();
    stage.ask('c.1', part);
    more?.(stage);
  };

/** Short enough for a phone: scrolling by part of a pixel gives two different pictures. */
const forSeveral: RequestPart = {
  title: 'Deploy to production?',
  risk: 'high',
  audience: { role: 'responder' },
};

export const promptStates: readonly GalleryState[] = [
  {
    name: 'prompt: approval',
    before: ask({ title: 'Deploy to staging?', subject: { kind: 'command', text: 'deploy --to staging' } }),
  },
  { name: 'prompt: high risk', before: ask({ ...approval, editable: true }) },
  { name: 'prompt: needs a passkey', before: ask({ title: 'Deploy to production?', risk: 'high', stepUp: true }) },
  {
    name: 'prompt: reason needed',
    before: ask({ ...approval, reasonRequired: ['deny'] }),
    after: (stage) => stage.click('Deny'),
  },
  {
    name: 'prompt: words are read only with a denial',
    before: ask({ ...approval, wordsOnlyWithDenial: true }),
    after: async (stage) => {
      await stage.click('Add a reason');
      await stage.click('Comment on lines');
      await stage.click(/^Line 1:/);
      await stage.type('.lines textarea', 'Not on a Friday.');
      await stage.click(/^Done/);
    },
  },
  {
    name: 'prompt: one of two approvals',
    before: ask({ ...approval, approvalScopes: ['once'], decide: { approve: 2 } }, (stage) =>
      stage.vote('c.1', 'approve', { approve: 1, deny: 0 }),
    ),
  },
  {
    name: 'prompt: one has voted oneself',
    before: ask({ ...approval, approvalScopes: ['once'], decide: { approve: 2 } }, (stage) =>
      stage.vote('c.1', 'approve', { approve: 1, deny: 0 }, { by: { ...by, principal: 'owner' } }),
    ),
  },
  {
    name: 'prompt: more are asked',
    before: ask({ ...approval, audience: { role: 'operator' } }, (stage) =>
      stage.append({
        type: 'interaction_escalated',
        payload: { ...ids('c.1'), step: 1, audience: { role: 'responder' } },
      }),
    ),
  },
  {
    name: 'prompt: somebody is on it',
    before: ask(forSeveral),
    after: (stage) => stage.claim('c.1'),
  },
  {
    name: 'prompt: you are on it',
    before: ask(forSeveral),
    after: (stage) => stage.claim('c.1', { by }),
  },
  {
    name: 'prompt: waits for people who are away',
    before: ask({ ...approval, timeoutMs: 86_400_000, isUnwatched: true, expiresAt: inSeconds(86_400) }),
  },
  { name: 'prompt: time runs out', before: ask({ ...approval, expiresAt: inSeconds(45) }) },
  {
    name: 'prompt: changes',
    before: ask({ title: 'Edit src/server.ts?', risk: 'medium', subject: { kind: 'diff', text: diff } }),
  },
  {
    name: 'prompt: long subject',
    before: ask({
      ...approval,
      title: 'Delete these files?',
      subject: { kind: 'text', text: Array.from({ length: 60 }, (_, n) => `build/part-${n}.js`).join('\n') },
    }),
  },
  {
    name: 'prompt: plan',
    before: ask({
      title: 'Follow this plan?',
      subject: { kind: 'markdown', text: '# Plan\n\n1. Write **one** file.\n2. Test it.' },
    }),
  },
  {
    name: 'prompt: data',
    before: ask({ title: 'Create the order?', subject: { kind: 'json', text: '{"customer":"Ada","items":[1,2]}' } }),
  },
  {
    name: 'prompt: link',
    before: ask({
      interactionType: 'url',
      title: 'Log in at GitHub',
      url: 'https://github.com/login/device?user_code=ABCD',
    }),
  },
  { name: 'prompt: docked', before: ask({ ...approval, presentation: 'composer' }) },
  { name: 'prompt: questionnaire', before: ask(input(oneField, { presentation: 'questionnaire' })) },
  {
    name: 'prompt: several',
    before: ask({ ...approval, title: 'Push to main?' }, (stage) => {
      stage.ask('d.1', { ...approval, title: 'Tag 2.1?', risk: 'low' });
      stage.ask('e.1', { ...approval, title: 'Publish to npm?' });
    }),
  },
  {
    name: 'prompt: expired, its tool decides',
    before: ask(approval, (stage) => stage.append({ type: 'interaction_expired', payload: ids('c.1') })),
  },
  {
    name: 'prompt: pending',
    before: ask(input(oneField), (stage) => {
      stage.append({ type: 'interaction_expired', payload: ids('c.1') });
      stage.append({ type: 'interaction_pending', payload: { ...ids('c.1'), message: 'I go on without it.' } });
    }),
  },
  {
    name: 'prompt: asked again',
    before: ask(input(oneField), (stage) => {
      stage.respond('c.1', { action: 'submit', input: { email: 'ada' } });
      stage.ask('c.2', {
        ...input(oneField),
        replaces: 'c.1',
        attempt: 2,
        error: 'That is no address.',
        fieldErrors: { email: 'An address has an @.' },
      });
    }),
  },
  {
    name: 'prompt: a plan again',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', plan('1. Build\n2. Deploy'));
      stage.respond('c.1', {
        action: 'deny',
        reason: 'Not like this.',
        annotations: [{ lines: [2, 2], quote: '2. Deploy', comment: 'Not on a Friday.' }],
      });
      stage.ask('c.2', { ...plan('0. Test\n1. Build\n2. Deploy on Monday'), replaces: 'c.1', attempt: 2 });
    },
    after: (stage) => stage.click(/^Changes since/),
  },
  {
    name: 'prompt: discussed, the asker replies',
    before: ask({ title: 'Deploy to staging?', commentsTo: 'tool' }, (stage) => {
      stage.comment('c.1', 'Is it tested?');
      stage.comment('c.1', 'Yes, twice.', { by: { ...by, principal: 'tool:deploy', name: 'deploy' }, isAskers: true });
    }),
  },
  {
    name: 'prompt: discussed, the asker cannot reply',
    before: ask({ title: 'Deploy to staging?' }, (stage) =>
      stage.comment('c.1', 'Is it tested?', { by: { ...by, principal: 'ann', name: 'Ann' } }),
    ),
    after: (stage) => stage.click('Discuss'),
  },
  {
    name: 'prompt: do this instead',
    before: ask(approval),
    after: async (stage) => {
      await stage.click('Write a message instead');
      await stage.click('Do this instead');
    },
  },
  {
    name: 'prompt: not accepted',
    before: ask(input(oneField)),
    after: async (stage) => {
      stage.server.refuse = ({ type }) =>
        type === 'tool_interaction_response'
          ? new RefusalError('storage_full', { message: 'The disk is full.' })
          : undefined;
      await stage.type('form input', 'ada@example.org');
      await stage.click('OK');
    },
  },
  { name: 'prompt: for others', before: ask({ ...approval, audience: { principals: ['Ann', 'Bob'] } }) },
  {
    name: 'prompt: cannot be drawn',
    before: ask({ interactionType: 'input', inputSchema: { type: 'form', fields: [null] } }),
  },
  {
    name: 'prompt: rules',
    before: ask({
      ...approval,
      risk: 'medium',
      approvalScopes: ['once'],
      rules: [
        {
          id: 'prefix',
          label: '`npm test` with any arguments, in /app',
          key: ['npm', 'test'],
          scopes: ['session', 'always'],
        },
      ],
    }),
  },
  { name: 'prompt: with a reason', before: ask(approval), after: (stage) => stage.click('Add a reason') },
  {
    name: 'prompt: arguments are edited',
    before: ask({ ...approval, editable: true }),
    after: (stage) => stage.click('Edit the arguments'),
  },
  {
    name: 'prompt: answer on its way',
    before: ask(approval),
    after: async (stage) => {
      stage.server.isAnswering = false;
      await stage.click('Deny');
    },
  },
];
