import process from 'node:process';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeToy } from './toy-server.mjs';

const [era, file] = process.argv.slice(2);
if (era === 'modern') serveStdio(() => makeToy({ era, file }), { legacy: 'reject' });
else await makeToy({ era, file }).connect(new StdioServerTransport());
