import { test } from 'vitest';
import { startServer } from '../support/use-server.ts';
import { accuse, guiltyPlugin } from './innocents.ts';

test('[DUR6, DUR10] a call that ends the server is given up alone, by name: the others stay open and end with their answers', async () => {
  const server = await startServer({ plugins: [guiltyPlugin] });
  await accuse(server, { patient: 4, plain: 4 });
});
