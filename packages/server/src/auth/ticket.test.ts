import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSameText, type TicketKind, Tickets } from './ticket.ts';

const key = 'c2VjcmV0';
const tickets = new Tickets(key, 'e-1');

const prompt = { sessionId: 's-1', interactionId: 'call-1.1', toolCallId: 'call-1', digest: 'd' };
const button = { device: 'd-1', ...prompt, action: 'deny' } as const;
const card = { target: 'mail:ann', principal: 'ann', ...prompt };
const chat = { target: 'telegram:l-1', ...prompt, code: 'a' };
const wait = { sessionId: 's-1', toolCallId: 'call-1', key: 'paid' };

const kinds: readonly TicketKind[] = ['button', 'card', 'callback', 'return', 'oidc', 'passkey', 'chat', 'file'];
const made: Readonly<Record<TicketKind, string>> = {
  button: tickets.sign('button', button),
  card: tickets.sign('card', card),
  callback: tickets.sign('callback', wait),
  return: tickets.sign('return', wait),
  oidc: tickets.sign('oidc', { state: 's', nonce: 'n', verifier: 'v', to: '/', until: 1 }),
  passkey: tickets.sign('passkey', {
    ...{ person: 'ann', login: 'l', purpose: 'add', origin: 'https://parley.example', challenge: 'c', until: 1 },
  }),
  chat: tickets.sign('chat', chat),
  file: tickets.sign('file', { sessionId: 's-1', toolCallId: 'call-1', fileId: 'f-1', until: 1 }),
};
const deny = made.button;
const [body = '', signature = ''] = deny.split('.');

/** Signs any text as the server would. */
function signText(text: string): string {
  const encoded = Buffer.from(text).toString('base64url');
  return `${encoded}.${createHmac('sha256', Buffer.from(key, 'base64url')).update(encoded).digest('base64url')}`;
}

const changed = Buffer.from(JSON.stringify({ for: 'button', epoch: 'e-1', ...button, action: 'approve' }));

describe('[NTF2, NTF3, PLG11] a ticket', () => {
  test.each(kinds.flatMap((given) => kinds.map((wanted) => [given, wanted] as const)))(
    'that is a %s, presented as a %s',
    (given, wanted) => {
      const isValid = given === wanted;
      expect(tickets.read(wanted, made[given]) !== undefined).toBe(isValid);
    },
  );

  test('returns its subject', () => {
    expect(tickets.read('button', made.button)).toMatchObject(button);
    expect(tickets.read('card', made.card)).toMatchObject(card);
    expect(tickets.read('callback', made.callback)).toMatchObject(wait);
    expect(tickets.read('return', made.return)).toMatchObject(wait);
  });

  test('is the same whenever it is made, and has one id for all its uses', () => {
    const shuffled = { key: wait.key, toolCallId: wait.toolCallId, more: 1, sessionId: wait.sessionId };
    expect(new Tickets(key, 'e-1').sign('callback', shuffled)).toBe(made.callback);
    const ids = kinds.map((kind) => tickets.read(kind, made[kind])?.ticketId);
    expect(kinds.map((kind) => tickets.read(kind, made[kind])?.ticketId)).toEqual(ids);
    expect(new Set(ids).size).toBe(kinds.length);
    expect(tickets.read('button', tickets.sign('button', { ...button, action: 'approve' }))?.ticketId).not.toBe(ids[0]);
  });

  test.each<[string, Tickets]>([
    ['another epoch', new Tickets(key, 'e-2')],
    ['another key', new Tickets('b3RoZXI', 'e-1')],
    ['no key', new Tickets('', 'e-1')],
  ])('is not valid for %s', (_, others) => {
    for (const kind of kinds) expect(others.read(kind, made[kind])).toBeUndefined();
  });

  test.each<[string, string]>([
    ['nothing', ''],
    ['a dot', '.'],
    ['no signature', body],
    ['an empty signature', `${body}.`],
    ['the signature alone', `.${signature}`],
    ['a truncated signature', deny.slice(0, -1)],
    ['a truncated body', `${body.slice(0, -4)}.${signature}`],
    ['another character at the end', `${deny}x`],
    ['a third part', `${deny}.x`],
    ['space around it', ` ${deny} `],
    ['padding', `${body}=.${signature}`],
    ['the same bytes in standard base64', `${body}.${Buffer.from(signature, 'base64url').toString('base64')}`],
    ['a changed body', `${changed.toString('base64url')}.${signature}`],
    ['the signature of another ticket', `${body}.${made.card.split('.')[1]}`],
    ['a body that is not JSON', `e30x.${signature}`],
    ['characters of several bytes', `${body}.${'é'.repeat(signature.length)}`],
    ['half a character', `${body}.\ud800`],
    ['a null character', `${deny}\0`],
    ['a name of every object', '__proto__.constructor'],
    ['a very long text', 'x'.repeat(1_000_000)],
  ])('is refused: %s', (_, hostile) => {
    for (const kind of kinds) expect(tickets.read(kind, hostile)).toBeUndefined();
  });

  test('is refused above 4,000 characters, even if it was signed here', () => {
    expect(tickets.read('callback', tickets.sign('callback', { ...wait, key: 'x'.repeat(2800) }))).toBeDefined();
    expect(tickets.read('callback', tickets.sign('callback', { ...wait, key: 'x'.repeat(3000) }))).toBeUndefined();
  });

  test.each<[string, object]>([
    ['of no kind', { epoch: 'e-1', ...card }],
    ['of an unknown kind', { for: 'coffee', epoch: 'e-1', ...button, ...card, ...wait }],
    ['of the kind of every object', { for: 'constructor', epoch: 'e-1', ...button, ...card, ...wait }],
    ['without an epoch', { for: 'button', ...button }],
    ['without a device', { for: 'button', epoch: 'e-1', ...button, device: undefined }],
    ['with an unknown action', { for: 'button', epoch: 'e-1', ...button, action: 'always' }],
    ['without a principal', { for: 'card', epoch: 'e-1', ...card, principal: undefined }],
    ['without a key', { for: 'callback', epoch: 'e-1', ...wait, key: undefined }],
    ['of a list', []],
  ])('is refused if it was signed %s', (_, value) => {
    for (const kind of kinds) expect(tickets.read(kind, signText(JSON.stringify(value)))).toBeUndefined();
  });

  test('has the form that earlier releases sent', () => {
    const place = '"sessionId":"s-1","toolCallId":"call-1","key":"paid"';
    expect(made.callback).toBe(signText(`{"for":"callback","epoch":"e-1",${place}}`));
    expect(made.return).toBe(signText(`{"for":"return","epoch":"e-1",${place}}`));
    expect(made.card).toBe(
      signText(
        '{"for":"card","epoch":"e-1","target":"mail:ann","principal":"ann",' +
          '"sessionId":"s-1","interactionId":"call-1.1","toolCallId":"call-1","digest":"d"}',
      ),
    );
    const sent = signText(JSON.stringify({ ...button, epoch: 'e-1' })); // a button of a release that named no kind
    expect(tickets.read('button', sent)).toMatchObject(button);
    for (const kind of ['card', 'callback', 'return'] as const) expect(tickets.read(kind, sent)).toBeUndefined();
  });
});

test.each<[string, string, boolean]>([
  ['', '', true],
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['abc', 'ab', false],
  ['é', 'e', false],
  ['é', 'ab', false],
])('compares %j with %j', (one, other, isSame) => {
  expect(isSameText(one, other)).toBe(isSame);
});

test('[CHAT3] a short signature is that of one subject, in one epoch', () => {
  const mark = tickets.mark('chat', chat);
  expect(mark).toMatch(/^[\w-]{22}$/);
  expect(tickets.isMarkOf('chat', chat, mark)).toBe(true);
  for (const other of [{ code: 'd' }, { digest: 'e' }, { target: 'telegram:l-2' }, { interactionId: 'call-1.2' }])
    expect(tickets.isMarkOf('chat', { ...chat, ...other }, mark)).toBe(false);
  expect(new Tickets(key, 'e-2').isMarkOf('chat', chat, mark)).toBe(false);
});
