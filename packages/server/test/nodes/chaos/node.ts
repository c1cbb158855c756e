// A node of the fleet; its one argument is a NodeOptions as JSON.
import { ParleyServer } from '@parleyhq/server';
import { openPostgresStore } from '../../../../../plugins/postgres/src/index.ts';
import { makeTools } from '../../kill-nine/tools.ts';
import { EffectFolder } from './effect-folder.ts';

export interface NodeOptions {
  readonly url: string;
  /** Folder with the effects of the tools of all nodes. */
  readonly effects: string;
  /** Origin of the clients: the proxy in front of the node. */
  readonly origin: string;
}

const { url, effects, origin }: NodeOptions = JSON.parse(process.argv[2] ?? '{}');
const server = new ParleyServer({
  store: await openPostgresStore(url),
  plugins: [makeTools({ effects: new EffectFolder(effects), pass: () => undefined })],
  allowedOrigins: [origin],
  framesPerSecond: 1_000_000,
  durations: { restartGraceMs: 250, lateHookMs: 2000 },
});
const port = await server.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ port })}\n`);
