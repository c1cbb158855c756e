import { createServer as createHttpServer } from 'node:http';
import { createServer, openSqliteStore } from '@parleyhq/server';
import hello from './hello.mjs';

const logins = { k3y: { id: 'ann', name: 'Ann', role: 'operator' } }; // the people you know, by the value of your own cookie

export const app = createHttpServer((_request, response) => {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><html lang="en"><title>Ours</title>
    <script type="module" src="/elements/index.js"></script>
    <parley-inbox server="/agents"></parley-inbox></html>`);
});
app.listen(Number(process.env.PORT), '127.0.0.1');

export const parley = createServer({
  store: openSqliteStore(process.env.DATABASE ?? 'parley.db'),
  plugins: [hello],
  authenticate: ({ headers }) => logins[/\blogin=(\w+)/.exec(headers.cookie ?? '')?.[1]],
});
await parley.mount(app, '/agents');
