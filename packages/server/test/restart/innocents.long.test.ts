import { test } from 'vitest';
import { startServer } from '../support/use-server.ts';
import { accuse, guiltyPlugin } from './innocents.ts';

test('[DUR6, DUR10] a hundred innocent calls survive a guilty one, whatever their tools declare', {
  timeout: 300_000,
}, async () => {
  const server = await startServer({ plugins: [guiltyPlugin] });
  await accuse(server, { patient: 50, plain: 50 });
});
