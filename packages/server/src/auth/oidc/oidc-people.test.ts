import { expect, test } from 'vitest';
import { openMemoryStore } from '../../testing/memory-store.ts';
import { OidcPeople } from './oidc-people.ts';
import { ReturnGate } from './return-gate.ts';

const settings = {
  issuer: 'https://login.example.org',
  clientId: 'parley',
  roles: { admins: 'operator', '*': 'viewer' },
} as const;
const person = { iss: settings.issuer, sub: '1', email: 'ann@example.org', email_verified: true };

test('[SIGN1] two log-ins at the same moment with different roles are both admitted', async () => {
  const { tokens } = openMemoryStore();
  const people = new OidcPeople(settings, tokens, Date.now);
  const admitted = await Promise.all([people.admit(person), people.admit({ ...person, groups: ['admins'] })]);
  expect(admitted.map((each) => each?.role)).toEqual(['viewer', 'operator']);
  expect(await tokens.list()).toMatchObject([{ name: 'ann@example.org' }]);
});

test('[TEAM2, SIGN1] a person belongs to the owner who has their verified name, also if both were stored before', async () => {
  const { tokens } = openMemoryStore();
  const people = new OidcPeople(settings, tokens, Date.now);
  const ann = await people.admit(person);
  await tokens.add('hash', { id: 't1', role: 'viewer', owner: person.email, createdAt: new Date().toISOString() });
  expect(await people.admit(person)).toEqual({ ...ann, owner: person.email });
  await tokens.remove('t1');
  expect(await people.admit(person)).toEqual({ ...ann, owner: person.email });
  const eve = { ...person, sub: '3', email: 'eve@example.org' };
  const { id } = (await people.admit({ ...eve, email_verified: false, preferred_username: 'eve' })) ?? {};
  await tokens.add('third', { id: 't3', role: 'viewer', owner: eve.email, createdAt: new Date().toISOString() });
  expect(await people.admit(eve)).toMatchObject({ id, owner: eve.email }); // verified only now
  await tokens.add('other', { id: 't2', role: 'viewer', owner: 'bob', createdAt: new Date().toISOString() });
  const bob = await people.admit({ ...person, sub: '2', email_verified: false, name: 'bob' }); // chose this name
  expect(bob).not.toHaveProperty('owner');
});

test('[SIGN1, SEC11] a return passes once, and no more than 16 at the same time', async () => {
  let now = 0;
  const gate = new ReturnGate(() => now);
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const ticketOf = (n: number) => ({ ticketId: `t-${n}`, until: 10 });
  const passing = Array.from({ length: 16 }, (_, n) => gate.pass(ticketOf(n), () => ended));
  await expect(gate.pass(ticketOf(16), () => ended)).rejects.toThrow('at once');
  end();
  await Promise.all(passing);
  await expect(gate.pass(ticketOf(0), async () => 'again')).rejects.toThrow('before');
  expect(await gate.pass(ticketOf(16), async () => 'passed')).toBe('passed');
  now = 11; // such a ticket is refused earlier, so it is not remembered
  expect(await gate.pass(ticketOf(17), async () => 'passed')).toBe('passed');
});
