import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestServer, useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { conformanceTools } from './conformance-tools.mjs';

const { PARLEY_MCP_CONFORMANCE: suite = '', PARLEY_MCP_CONFORMANCE_NODE: node = '' } = process.env;
const main = join(suite, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const client = fileURLToPath(new URL('conformance-turn.mjs', import.meta.url));
const revisions = ['2025-11-25', '2026-07-28'] as const;

/** In ms: all scenarios run at once. */
const patience = 240_000;

/** Runs what a revision of the protocol requires. @returns the scenarios that did not pass wholly, in words of the suite */
async function runSuite(...args: readonly string[]): Promise<readonly string[]> {
  const options = { cwd: suite, timeout: patience, maxBuffer: 64 * 1024 * 1024 };
  const said = await new Promise<string>((resolve) => {
    const command = [main, ...args, '--timeout', String(patience / 2)];
    execFile(join(node, 'node_modules/node/bin/node'), command, options, (_, stdout) => resolve(stdout)); // it fails where a scenario does
  });
  const lines = [...said.matchAll(/^([✓✗]) (\S+): \d+ passed/gm)];
  expect(lines.length, said).toBeGreaterThan(20);
  return lines.flatMap(([, mark, name = '']) => (mark === '✗' ? [name] : [])).sort();
}

/** Of extensions that Parley does not have; the suite does not count them. */
const extensions = ['client-credentials-jwt', 'client-credentials-basic', 'enterprise-managed-authorization', 'dpop']
  .concat('dpop-nonce', 'wif-jwt-bearer')
  .map((name) => `auth/${name}`);

test.each(revisions)(
  '[AGT4] as a client Parley passes the conformance suite for %s',
  async (revision) => {
    const command = `${process.execPath} ${client}`;
    const failed = await runSuite('client', '--command', command, '--requirements', revision);
    expect(failed).toEqual([...extensions].sort());
  },
  patience,
);

/** What of a server's Parley is not: it asks people, and returns what they say. */
const absent = {
  both: [
    // It has no prompts or resources, and so nothing to complete.
    ...['completion-complete', 'prompts-list', 'prompts-get-simple', 'prompts-get-with-args', 'prompts-get-with-image'],
    ...['prompts-get-embedded-resource', 'resources-list', 'resources-read-text', 'resources-read-binary'],
    'resources-templates-read',
    // What people say is text and JSON.
    ...['tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource', 'tools-call-mixed-content'],
  ],
  '2025-11-25': [
    ...['resources-subscribe', 'resources-unsubscribe'],
    // It asks its own people, never the client's, and sends no logs.
    ...['tools-call-elicitation', 'tools-call-sampling', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
    ...['logging-set-level', 'tools-call-with-logging'],
    // A stream that broke off is not taken up: `check_answer` is there for that.
    'server-sse-polling',
  ],
  '2026-07-28': [
    'caching', // of prompts and resources
    'server-stateless', // of a tool that wants the client's model
    ...['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state', 'multiple-input-requests']
      .concat('multi-round', 'non-tool-request', 'result-type', 'tampered-state', 'capability-check')
      .map((name) => `input-required-result-${name}`),
    'http-custom-header-server-validation', // no tool of ours has such parameters
  ],
};

test.each(revisions)(
  '[ASK6] as a server Parley passes the conformance suite for %s in all that it has',
  async (revision) => {
    const server = await useInTest(new TestServer({ plugins: [conformanceTools], durations: { mcpProgressMs: 100 } }));
    const failed = await runSuite('server', '--url', `${server.url}/mcp`, '--requirements', revision);
    const judged = failed.filter((name) => !name.startsWith('tasks-')); // an extension, whose suite wants tools that are never tasks: here any is that takes long
    expect(judged).toEqual([...absent.both, ...absent[revision]].sort());
  },
  patience,
);
