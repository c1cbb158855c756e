import { type InteractionRequest, isRecord, type Json } from '@parleyhq/core';

/** A call's arguments as a person edits them. */
interface ArgsText {
  readonly label: string;
  /** Said where what was typed cannot be read. */
  readonly fault: string;
  readonly write: (args: Json) => string;
  /** Undefined for what cannot be read. */
  readonly read: (text: string) => Json | undefined;
}

const asJson: ArgsText = {
  label: 'Arguments (what you see here is what runs)',
  fault: 'This is not valid JSON.',
  write: (args) => JSON.stringify(args, null, 2),
  read: (text) => {
    try {
      return JSON.parse(text) as Json;
    } catch {
      return undefined;
    }
  },
};

const asCommand: ArgsText = {
  label: 'Command (what you see here is what runs)',
  fault: 'Write a command.',
  write: (args) => (isCommand(args) ? args.command : ''),
  read: (text) => (text.trim() === '' ? undefined : { command: text }),
};

const isCommand = (args: Json): args is { command: string } =>
  isRecord(args) && typeof args.command === 'string' && Object.keys(args).length === 1;

/** A command that is all there is to the call is edited as the text that it is, everything else as JSON. */
export function chooseArgsText({ subject }: InteractionRequest, args: Json): ArgsText {
  return subject?.kind === 'command' && isCommand(args) ? asCommand : asJson;
}
