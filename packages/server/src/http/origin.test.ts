import { describe, expect, test } from 'vitest';
import { classifyOrigin, isLoopback, makeOriginPolicy } from './origin.ts';

const policy = (options: Partial<Parameters<typeof makeOriginPolicy>[0]> = {}) =>
  makeOriginPolicy({ host: '127.0.0.1', port: 7420, isBehindProxy: false, allowedOrigins: [], ...options });

test('[SEC1] loopback addresses are those that only this machine can reach', () => {
  for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '::1']) expect(isLoopback(host)).toBe(true);
  for (const host of ['0.0.0.0', '::', '192.168.0.1', '127.evil.example', 'localhost.evil.example', '']) {
    expect(isLoopback(host)).toBe(false);
  }
});

describe('[SEC3] which Host and Origin are ours', () => {
  test('the requested address is one of our names; a wildcard is not', () => {
    expect(classifyOrigin(policy({ host: '192.168.0.5' }), { host: '192.168.0.5:7420' })).toBe('program');
    expect(classifyOrigin(policy({ host: 'fd00::5' }), { host: '[fd00::5]:7420' })).toBe('program');
    expect(classifyOrigin(policy({ host: '0.0.0.0' }), { host: '0.0.0.0:7420' })).toBe('refused');
  });

  test('a configured origin also allows its host, and its scheme matters', () => {
    const allowed = policy({ allowedOrigins: ['https://parley.example'] });
    expect(classifyOrigin(allowed, { host: 'parley.example', origin: 'https://parley.example' })).toBe('browser');
    expect(classifyOrigin(allowed, { host: 'parley.example', origin: 'http://parley.example' })).toBe('refused');
    expect(classifyOrigin(allowed, { host: 'parley.example:8080' })).toBe('refused');
  });

  test('behind a proxy our own pages use https', () => {
    const own = { host: '127.0.0.1:7420', origin: 'https://127.0.0.1:7420' };
    expect(classifyOrigin(policy({ isBehindProxy: true }), own)).toBe('browser');
    expect(classifyOrigin(policy(), own)).toBe('refused');
  });

  test('a request without a Host is refused', () => {
    expect(classifyOrigin(policy(), {})).toBe('refused');
    expect(classifyOrigin(policy(), { origin: 'http://127.0.0.1:7420' })).toBe('refused');
  });
});
