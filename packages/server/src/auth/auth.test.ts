import { RefusalError } from '@parleyhq/core';
import { beforeEach, expect, test, vi } from 'vitest';
import { openMemoryStore } from '../testing/memory-store.ts';
import { Auth, hashPairingCode, makeToken } from './auth.ts';
import { OwnLoginCodes } from './own-login-codes.ts';

const token = 'the-right-token-of-all';
let now: number;
let auth: Auth;
let options: ConstructorParameters<typeof Auth>[0];
const owner = { principal: { id: 'owner', role: 'operator' }, credential: {} } as const;
let wrong: string[];
beforeEach(() => {
  wrong = [];
  now = Date.parse('2030-01-01');
  options = {
    token,
    store: openMemoryStore(),
    nodeId: 'n1',
    channelsOf: async () => [],
    now: () => now,
    freshLoginMs: 0,
    onWrong: ({ door }) => void wrong.push(door),
  };
  auth = new Auth(options);
});

test('[SEC2] a token is 256 random bits behind a recognisable prefix', () => {
  const [, bits = ''] = /^parley_([\w-]{43})$/.exec(makeToken()) ?? [];
  expect(Buffer.from(bits, 'base64url')).toHaveLength(32);
  expect(makeToken()).not.toBe(makeToken());
});

test('[SEC2, SEC4] the right token admits its owner, a wrong or missing one admits nobody', async () => {
  expect(await auth.checkToken(token, 'hello', 'a')).toMatchObject({ principal: { role: 'operator' } });
  for (const wrong of [undefined, '', `${token}x`, token.slice(1)]) {
    expect(await auth.checkToken(wrong, 'hello', 'a')).toBeUndefined();
  }
});

test('[SEC2] after ten wrong tokens that address must wait at that entry point; the right token is still admitted', async () => {
  for (let n = 0; n < 10; n += 1) expect(await auth.checkToken('wrong', 'login', 'a')).toBeUndefined();
  await expect(auth.checkToken('wrong', 'login', 'a')).rejects.toThrow(RefusalError);
  expect(await auth.checkToken(token, 'login', 'a')).toBeDefined();
  expect(await auth.checkToken('wrong', 'login', 'b')).toBeUndefined();
  expect(await auth.checkToken('wrong', 'hello', 'a')).toBeUndefined();
  expect(wrong).toEqual([...Array(11).fill('login'), 'login', 'hello']);
});

test('[SEC2, SEC11] a wrong code writes nothing, and a right one admits once', async () => {
  const codes = new OwnLoginCodes();
  const remove = vi.spyOn(codes, 'remove');
  const store = Object.assign(openMemoryStore(), { loginCodes: codes });
  const shared = new Auth({ ...options, store });
  const code = await shared.makeCode();
  expect(await shared.takeCode('wrong', 'a')).toBeUndefined();
  expect(remove).not.toHaveBeenCalled();
  const taken = await Promise.all([shared.takeCode(code, 'a'), shared.takeCode(code, 'a')]);
  expect(taken.filter(Boolean)).toHaveLength(1);
});

test('[SEC2] a missing token does not count as a guess', async () => {
  for (let n = 0; n < 50; n += 1) await auth.checkToken(undefined, 'hello', 'a');
  expect(await auth.checkToken(token, 'hello', 'a')).toBeDefined();
});

test('[SEC2] a cookie is valid until it expires or its log-in is ended', async () => {
  const [kept, returned] = [await auth.login(owner, {}), await auth.login(owner, {})];
  await auth.logout([returned.cookie]);
  expect(await auth.checkCookies([returned.cookie])).toBeUndefined();
  expect(await auth.checkCookies([returned.cookie, kept.cookie])).toBeDefined();
  expect(await auth.checkCookies([])).toBeUndefined();
  now = kept.expires.getTime() + 1;
  expect(await auth.checkCookies([kept.cookie])).toBeUndefined();
});

test('[SEC2] with --no-auth everybody is admitted', async () => {
  const open = new Auth({ ...options, token: undefined });
  expect([open.isOpen, await open.checkToken(undefined, 'hello', 'a')]).toEqual([true, expect.anything()]);
});

test('[SEC2, SEC9, SIGN1] a pairing code admits its holder once, in time, and only while their token is valid', async () => {
  const { tokens, links } = options.store;
  await tokens.add('h', { id: 't1', role: 'viewer', name: 'Ann', createdAt: '2029-01-01T00:00:00.000Z' });
  const expiresAt = new Date(now + 1000).toISOString();
  const pair = (code: string, tokenId?: string) => {
    const credential = tokenId === undefined ? {} : { tokenId };
    const made = { principal: tokenId ?? 'owner', credential, expiresAt };
    return links.addCode(hashPairingCode(code), made, { credential, now });
  };
  for (const [code, tokenId] of [['c1', 't1'], ['c2'], ['c3', 't1'], ['c4']] as const) await pair(code, tokenId);

  expect(await auth.holdsCode('c1')).toBe(true);
  const taken = await Promise.all([auth.takeCode('C1', 'a'), auth.takeCode('c1', 'a')]);
  const [ann, ...others] = taken.filter(Boolean);
  expect(ann).toMatchObject({ principal: { id: 't1', role: 'viewer', name: 'Ann' }, credential: { tokenId: 't1' } });
  expect(others).toEqual([]);
  expect(await auth.takeCode('c2', 'a')).toEqual(owner);
  await tokens.remove('t1');
  expect(await auth.takeCode('c3', 'a')).toBeUndefined();
  const issuer = 'https://login.example.org'; // whoever logs in there, logs in there alone
  await tokens.add('h', { id: 't2', role: 'operator', issuer, createdAt: '2029-01-01T00:00:00.000Z' });
  await pair('c5', 't2');
  expect(await auth.takeCode('c5', 'a')).toBeUndefined();
  now += 1000;
  expect([await auth.holdsCode('c4'), await auth.takeCode('c4', 'a')]).toEqual([false, undefined]);
});
