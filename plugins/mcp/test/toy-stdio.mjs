import process from 'node:process';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeToy } from './toy-server.mjs';

const [era, file, shelf] = process.argv.slice(2);
const hasShelf = shelf !== undefined;
if (era === 'modern') serveStdio(() => makeToy({ era, file, hasShelf }), { legacy: 'reject' });
else await makeToy({ era, file, hasShelf }).connect(new StdioServerTransport());
