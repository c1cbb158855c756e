import { Agent, request } from 'node:http';
import { clock } from '../process/clock.ts';
import type { Arrivals } from './arrivals.ts';

/** A request that asks people, and the text that its response contains once they have answered. */
export interface Question {
  readonly port: number;
  readonly path: string;
  readonly body: string;
  readonly answer: string;
}

/** The times of all calls, in ms. */
export interface CallTimes {
  /** From the request until the last tab shows the question. */
  readonly shown: Float64Array;
  /** From the answer of a tab until the last byte of the response. */
  readonly told: Float64Array;
}

/** Asks repeatedly over one connection, like a program that waits for each answer. */
export async function askByHttp(arrivals: Arrivals, question: Question, ms: number): Promise<CallTimes> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const [shown, told]: [number[], number[]] = [[], []];
  for (const end = clock() + ms; clock() < end; ) {
    const asked = clock();
    await post(agent, question);
    told.push(clock() - arrivals.answeredAt);
    const [at = Number.NaN] = await arrivals.take('interaction_request', 1);
    shown.push(at - asked);
  }
  agent.destroy();
  return { shown: Float64Array.from(shown), told: Float64Array.from(told) };
}

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

function post(agent: Agent, { port, path, body, answer }: Question): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, path, headers, host: '127.0.0.1', method: 'POST' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => (text.includes(answer) ? resolve() : reject(new Error(`${path} said ${text}`))));
    });
    sent.on('error', reject).end(body);
  });
}
