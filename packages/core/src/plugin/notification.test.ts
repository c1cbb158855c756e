import { expect, test } from 'vitest';
import { pushSubscriptionSchema, quietHoursSchema } from './notification.ts';

const keys = { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) };

test.each([
  ['an address of a push service', { endpoint: 'https://push.example.org/1', keys }, true],
  ['a file', { endpoint: 'file:///etc/passwd', keys }, false],
  ['no address', { endpoint: 'push', keys }, false],
  ['a key that is too short', { endpoint: 'https://push.example.org/1', keys: { ...keys, auth: 'a' } }, false],
])('[NTF2] %s is accepted as a subscription: %#', (_, subscription, isTaken) => {
  expect(pushSubscriptionSchema.safeParse(subscription).success).toBe(isTaken);
});

test.each([
  [{ from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' }, true],
  [{ from: '24:00', to: '07:00', timeZone: 'Europe/Berlin' }, false],
  [{ from: '22:00', to: '07:00', timeZone: 'Europe/Atlantis' }, false],
])('[NTF1] %o are valid quiet hours: %s', (hours, isTaken) => {
  expect(quietHoursSchema.safeParse(hours).success).toBe(isTaken);
});
