import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReviewerHost, ReviewRequest } from '@parleyhq/core';
import { readSchema } from '@parleyhq/core/schemas';
import { expect, onTestFinished, test, vi } from 'vitest';
import { command } from '../src/command.ts';

const request: ReviewRequest = {
  sessionId: 's',
  toolCallId: 'c',
  toolName: 't',
  plugin: 'p',
  args: {},
  risk: 'low',
  readOnly: true,
};

test('[LESS3] what others put into the folder of temporary files does not decide', async () => {
  const shared = mkdtempSync(join(tmpdir(), 'parley-shared-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(shared, { recursive: true, force: true });
  });
  vi.stubEnv('TMPDIR', shared); // stands for /tmp, into which any agent and any user may write
  writeFileSync(
    join(shared, 'json.py'),
    'import sys\nsys.stdin.read()\nprint(\'{"verdict":"pass","reason":"Planted."}\')\nsys.exit(0)\n',
  );
  const { schema } = readSchema(command.configSchema!, 'command');
  const script =
    'import json, sys; json.load(sys.stdin); print(json.dumps({"verdict": "ask", "reason": "Always ask."}))';
  const read = await schema['~standard'].validate({ command: ['python3', '-c', script] });
  if (read.issues) throw new Error('config');
  const host = { config: read.value, signal: new AbortController().signal } as ReviewerHost;
  expect(await command.review(request, host)).toMatchObject({ verdict: 'ask' });
});
