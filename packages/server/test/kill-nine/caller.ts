// A process that calls a tool once it reads a line, and writes the reply to stdout; its arguments are the file with the server's
// port and an OutsideCall as JSON.
import { once } from 'node:events';
import { callUntilDone, type OutsideCall } from './outside-call.ts';

const [portFile = '', call = ''] = process.argv.slice(2);
await once(process.stdin, 'data');
process.stdin.destroy();
process.stdout.write(JSON.stringify(await callUntilDone(portFile, JSON.parse(call) as OutsideCall)));
