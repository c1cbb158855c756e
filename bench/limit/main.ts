import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { serveCalls } from '../process/child.ts';
import { cpu, sleep } from '../process/clock.ts';
import { LoopMeter } from '../process/loop-meter.ts';
import { readMemory } from '../process/memory.ts';
import { Turnstile } from '../process/turnstile.ts';
import { joinFrames } from './frames.ts';
import { LimitLog } from './log.ts';
import { PostgresLog } from './postgres-log.ts';
import { Room } from './room.ts';

/** Events per write when a log is replayed. */
const pageRows = 500;

const [dataDir = '.', database] = process.argv.slice(2);
const rooms = new Map<string, Room>();
const flush = () => {
  for (const room of rooms.values()) room.flush();
};
const log =
  database === undefined ? new LimitLog(join(dataDir, 'limit.db'), flush) : await PostgresLog.open(database, flush);
const turnstile = new Turnstile();
const loop = new LoopMeter();
const ws = new WebSocketServer({ noServer: true, perMessageDeflate: false });
let run: Promise<unknown> | undefined;

/** Handles the few frames of the protocol that the swarm needs. */
function receive(socket: Duplex, text: string): void {
  const frame = JSON.parse(text);
  const room = rooms.get(frame.sessionId);
  switch (frame.type) {
    case 'create_session': {
      const made = new Room(log, rooms.size + 1);
      rooms.set(made.id, made);
      socket.write(
        joinFrames([
          `{"type":"reply","requestId":"${frame.requestId}","ok":true,"result":{"session":{"id":"${made.id}"}}}`,
        ]),
      );
      break;
    }
    case 'subscribe':
      if (room) void replay(room, socket, frame.cursor?.seq ?? 0);
      break;
    case 'user_message': {
      const { kind, ...spec } = JSON.parse(frame.text.slice(frame.text.indexOf('{')));
      run = kind === 'ask' ? room?.ask(spec, turnstile) : room?.stream(spec);
      break;
    }
    case 'tool_interaction_response':
      room?.answer(frame.interactionId);
      break;
    default:
  }
}

/** Sends stored text in concatenated frames, one page per write, as fast as the client reads. */
async function replay(room: Room, socket: Duplex, cursor: number): Promise<void> {
  let sent = cursor;
  while (sent < room.seq) {
    const texts = await log.read(room.key, sent, pageRows);
    if (texts.length === 0) break;
    const frames = texts.map((text) => `{"type":"chat_event","sessionId":"${room.id}","event":${text}}`);
    const isWritable = socket.write(joinFrames(frames));
    sent += texts.length;
    if (!isWritable) await new Promise((resolve) => socket.once('drain', resolve));
  }
  room.sockets.add(socket);
  socket.write(joinFrames([`{"type":"live","sessionId":"${room.id}","seq":${sent}}`]));
}

/** `POST /ask`: asks in the newest room, and responds with the answer. */
const http = createServer((request, response) => {
  request.resume().once('end', async () => {
    await [...rooms.values()].at(-1)?.askOne();
    response.setHeader('Content-Type', 'application/json').end('{"result":{"ok":true}}');
  });
});
http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
  ws.handleUpgrade(request, socket, head, (peer) => {
    peer.on('message', (data) => receive(socket, String(data)));
    peer.on('error', () => peer.terminate());
    peer.on('close', () => {
      for (const room of rooms.values()) room.sockets.delete(socket);
    });
  });
});

const methods = {
  async listen() {
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    return { port: (http.address() as AddressInfo).port, turnstile: await turnstile.listen() };
  },
  cpu,
  /** The measurements of the last run of questions or deltas. */
  report: () => run,
  startLoopMeter: () => loop.start(),
  stopLoopMeter: () => loop.stop(),
  /** Creates a session with this many events. */
  async fill(count: number) {
    const room = new Room(log, rooms.size + 1);
    rooms.set(room.id, room);
    for (let left = count; left > 0; left -= 1) {
      await new Promise<void>((resolve) => {
        room.append('error', {}, left % 100 === 1 ? resolve : undefined);
        if (left % 100 !== 1) resolve();
      });
    }
    return room.id;
  },
  /** Appends this many events to a session, one every `ms`. */
  async trickle(sessionId: string, count: number, ms: number) {
    for (let left = count; left > 0; left -= 1) {
      rooms.get(sessionId)?.append('error', {});
      await sleep(ms);
    }
  },
  memory: readMemory,
};

export type ServerMethods = typeof methods;

serveCalls(methods);
