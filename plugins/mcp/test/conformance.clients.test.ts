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

/** Time limit of the suite in ms; all scenarios run at once. */
const patience = 240_000;

/** Runs the suite for a revision of the protocol. @returns the names of the scenarios that did not pass completely */
async function runSuite(...args: readonly string[]): Promise<readonly string[]> {
  const options = { cwd: suite, timeout: patience, maxBuffer: 64 * 1024 * 1024 };
  const said = await new Promise<string>((resolve) => {
    const command = [main, ...args, '--timeout', String(patience / 2)];
    // the exit code is ignored: it is not 0 if a scenario fails
    execFile(join(node, 'node_modules/node/bin/node'), command, options, (_, stdout) => resolve(stdout));
  });
  const lines = [...said.matchAll(/^([✓✗]) (\S+): \d+ passed/gm)];
  expect(lines.length, said).toBeGreaterThan(20);
  return lines.flatMap(([, mark, name = '']) => (mark === '✗' ? [name] : [])).sort();
}

/** Scenarios of extensions that Parley does not have; the suite does not count them. */
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

/** Scenarios of server features that Parley does not have. */
const absent = {
  both: [
    // Parley has no prompts or resources, and so nothing to complete.
    ...['completion-complete', 'prompts-list', 'prompts-get-simple', 'prompts-get-with-args', 'prompts-get-with-image'],
    ...['prompts-get-embedded-resource', 'resources-list', 'resources-read-text', 'resources-read-binary'],
    'resources-templates-read',
    // People's answers are text and JSON.
    ...['tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource', 'tools-call-mixed-content'],
  ],
  '2025-11-25': [
    ...['resources-subscribe', 'resources-unsubscribe'],
    // Parley asks its own people, never the client's, and sends no logs.
    ...['tools-call-elicitation', 'tools-call-sampling', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
    ...['logging-set-level', 'tools-call-with-logging'],
    // A broken stream is not resumed: clients call `check_answer` instead.
    'server-sse-polling',
  ],
  '2026-07-28': [
    'caching', // of prompts and resources
    'server-stateless', // of a tool that wants the client's model
    ...['basic-elicitation', 'basic-sampling', 'basic-list-roots', 'request-state', 'multiple-input-requests']
      .concat('multi-round', 'non-tool-request', 'result-type', 'tampered-state', 'capability-check')
      .map((name) => `input-required-result-${name}`),
    'http-custom-header-server-validation', // no tool has such parameters
  ],
};

test.each(revisions)(
  '[ASK6] as a server Parley passes the conformance suite for %s in all features that it has',
  async (revision) => {
    const server = await useInTest(new TestServer({ plugins: [conformanceTools], durations: { mcpProgressMs: 100 } }));
    const failed = await runSuite('server', '--url', `${server.url}/mcp`, '--requirements', revision);
    // the suite of this extension expects tools that are never tasks; here every slow call becomes one
    const judged = failed.filter((name) => !name.startsWith('tasks-'));
    expect(judged).toEqual([...absent.both, ...absent[revision]].sort());
  },
  patience,
);
