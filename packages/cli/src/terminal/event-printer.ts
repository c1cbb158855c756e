import type { SessionClient } from '@parleyhq/client';
import type { ChatEvent } from '@parleyhq/core';
import { toJsonLine } from '../io/line.ts';
import { describeEvent } from './event-words.ts';
import { layOut, paperOf } from './styled-text.ts';

type PrintEvents = (events: readonly ChatEvent[], session: SessionClient) => void;

/** Returns a function that prints events on stdout: as stored JSON, or as text for people. */
export function makeEventPrinter({ isJson, isTimed = false }: { isJson: boolean; isTimed?: boolean }): PrintEvents {
  if (isJson) return printJson;
  let today: string | undefined;
  return (events, { state: { items } }) => {
    const paper = paperOf(process.stdout);
    for (const event of events) {
      const piece = describeEvent(event, items);
      if (!piece) continue;
      const [day = '', time = ''] = event.timestamp.split('T');
      if (isTimed && day !== today) process.stdout.write(`${paper.paint('quiet', `-- ${day} (UTC)`)}\n`);
      today = day;
      const mark = isTimed ? `${time.slice(0, 8)} ${piece.mark}` : piece.mark;
      process.stdout.write(`${layOut({ ...piece, mark }, paper).join('\n')}\n`);
    }
  };
}

const printJson: PrintEvents = (events) => {
  for (const event of events) process.stdout.write(toJsonLine(event));
};
