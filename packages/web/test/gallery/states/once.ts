import { makeRequest, type RequestPart } from '@parleyhq/client/testing';
import { approval, input, oneField } from '../../samples.ts';
import { galleryNow } from '../clock.ts';
import { onceLink, refuse } from '../fake-fetch.ts';
import type { GalleryState } from '../stage.ts';

const request: RequestPart = { ...approval, risk: 'medium', approvalScopes: ['once'] };

const opens = (part: RequestPart) => () => {
  onceLink.opens = () =>
    Response.json({
      sessionId: 's',
      sessionTitle: 'Release 2.1',
      principal: { id: 'ann', role: 'responder', name: 'Ann' },
      interaction: makeRequest('c.1', { expiresAt: new Date(galleryNow + 3_600_000).toISOString(), ...part }),
      timestamp: new Date(galleryNow - 60_000).toISOString(),
      now: galleryNow,
    });
  onceLink.takes = () => Response.json({ ok: true });
};

const refuses = (status: number, code: string, message: string) => () => {
  onceLink.opens = () => refuse(status, code, message);
};

const linked = { path: '/once#key' };

/** The page of a one-time link (NTF3). */
export const onceStates: readonly GalleryState[] = [
  { name: 'once: an approval', ...linked, before: opens(request) },
  { name: 'once: a form', ...linked, before: opens(input(oneField, { title: 'Where shall the report go?' })) },
  {
    name: 'once: answered',
    ...linked,
    before: opens(request),
    after: async (stage) => {
      await stage.click('Deny');
      await stage.find('[role="status"]', /^Your answer was taken/);
    },
  },
  {
    name: 'once: a vote is counted',
    ...linked,
    before: () => {
      opens(request)();
      onceLink.takes = () => Response.json({ ok: true, vote: 'approve' });
    },
    after: async (stage) => {
      await stage.click('Deny');
      await stage.find('[role="status"]', /^Your vote is counted/);
    },
  },
  {
    name: 'once: not taken',
    ...linked,
    before: () => {
      opens(request)();
      onceLink.takes = () => refuse(429, 'rate_limited', 'Too many requests. Try again in a minute.');
    },
    after: async (stage) => {
      await stage.click('Deny');
      await stage.find('[role="alert"]');
    },
  },
  {
    name: 'once: used up',
    ...linked,
    before: refuses(409, 'closed', 'This link is used up: its prompt was answered, or is over.'),
  },
  {
    name: 'once: somebody else is logged in',
    ...linked,
    before: refuses(403, 'forbidden', 'This link is for someone other than the person who is logged in here.'),
  },
  {
    name: 'once: not responding',
    ...linked,
    before: () => {
      onceLink.opens = undefined;
    },
  },
  { name: 'once: without its key', path: '/once' },
];
