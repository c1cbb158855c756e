import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { PageMethods } from '../parley/page.ts';
import { serveCalls } from '../process/child.ts';
import { makeStep } from '../process/talk.ts';

/** The rows of a step: plain elements with the same text. */
function makeRows(n: number): [tag: string, text: string][] {
  const { thinking, text, args, result } = makeStep(n);
  return [
    ['p', thinking],
    ['p', text],
    ['pre', `${args.path}\n${result}`],
  ];
}

const wrap = (body: string, script: string) =>
  `<!doctype html><meta charset="utf-8"><title>Limit</title><body><div id="scroll" style="height:100vh;overflow:auto"><div id="rows">${body}</div></div><script>${script}</script>`;

/** The socket sends pages of rows: first the newest, older ones when the reader scrolls near them. */
const transcript = wrap(
  '',
  `const socket = new WebSocket(location.origin.replace('http', 'ws') + location.search);
  const [scroll, rows] = [document.querySelector('#scroll'), document.querySelector('#rows')];
  socket.onmessage = ({ data }) => {
    const elements = JSON.parse(data).map(([tag, text]) => {
      const element = document.createElement(tag);
      element.className = 'row';
      element.style.whiteSpace = 'pre-wrap';
      element.textContent = text;
      return element;
    });
    const below = scroll.scrollHeight - scroll.scrollTop;
    rows.prepend(...elements);
    scroll.scrollTop = scroll.scrollHeight - below;
  };
  scroll.onscroll = () => { if (scroll.scrollTop < scroll.clientHeight && socket.readyState === 1) socket.send('more'); };`,
);

const makeForm = (fields: number) =>
  wrap(
    Array.from({ length: fields }, (_, n) => `<p><label for="f${n}">Field ${n}</label> <input id="f${n}">`).join(''),
    '',
  );

/** Rows per page. */
const pageRows = 100;

const http = createServer(({ url = '' }, response) => {
  const { pathname, searchParams } = new URL(url, 'http://limit');
  const page = pathname === '/form' ? makeForm(Number(searchParams.get('fields'))) : transcript;
  response.setHeader('Content-Type', 'text/html').end(page);
});
new WebSocketServer({ server: http }).on('connection', (socket, { url = '' }: IncomingMessage) => {
  const steps = Number(new URL(url, 'http://limit').searchParams.get('steps'));
  const rows = Array.from({ length: steps }, (_, n) => makeRows(n)).flat();
  const send = () => rows.length > 0 && socket.send(JSON.stringify(rows.splice(-pageRows)));
  socket.on('message', send);
  send();
});
const port = new Promise<number>((resolve) => {
  http.listen(0, '127.0.0.1', () => resolve((http.address() as AddressInfo).port));
});
let origin = '';

const methods: PageMethods = {
  async listen() {
    origin = `http://127.0.0.1:${await port}`;
  },
  fillTranscript: async (count) => `${origin}/?steps=${Math.ceil(count / 4)}`,
  openForm: async (fields) => `${origin}/form?fields=${fields}`,
};

serveCalls(methods);
