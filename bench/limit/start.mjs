// The minimum that `parley serve` needs: HTTP, WebSocket and a durable table. Run by Node alone, like the command; prints its
// port when ready.
import { createServer } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import Sqlite from 'better-sqlite3';
import { WebSocketServer } from 'ws';

const db = new Sqlite(join(process.argv[2], 'limit.db'));
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('create table events (id integer primary key, session integer not null, seq integer not null, text text)');
const server = createServer((_, response) => response.end());
new WebSocketServer({ server }).on('connection', (socket) => socket.on('message', (data) => socket.send(data)));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));
