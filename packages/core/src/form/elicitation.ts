import { isRecord } from '../basics/json.ts';
import { makeForm } from './elicitation-form.ts';
import type { FormSchema } from './field.ts';

/** Answer to an elicitation, in the form of MCP and ACP. */
export interface Elicited {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string | number | boolean | string[]>;
}

/** An elicitation as a prompt, and the way back from its answer. */
export interface ElicitationPrompt {
  readonly shown:
    | { readonly type: 'url'; readonly url: string }
    | { readonly type: 'input'; readonly inputSchema: FormSchema };
  /** A person's cancel or denial is a `decline`; a prompt that ended otherwise is a `cancel`. */
  read(answer: unknown): Elicited;
}

/**
 * Reads what a server or an agent wants to know: an address to visit, or a form of its `requestedSchema`.
 * @throws TypeError with the reason if people cannot be shown it, or it asks for a secret, which would be stored in the log
 */
export function readElicitation(params: unknown): ElicitationPrompt {
  const { mode, url, requestedSchema } = isRecord(params) ? params : {};
  if (mode === 'url') {
    if (typeof url !== 'string') throw new TypeError('it has no address');
    return { shown: { type: 'url', url }, read: (answer) => toElicited(answer, 'approve', () => undefined) };
  }
  if (mode !== undefined && mode !== null && mode !== 'form')
    throw new TypeError('Parley does not know this kind of question');
  requireOpen(requestedSchema);
  const form = makeForm(requestedSchema);
  const read = (input: unknown) => form.read(isRecord(input) ? (input as never) : {});
  return {
    shown: { type: 'input', inputSchema: form.form },
    read: (answer) => toElicited(answer, 'submit', read),
  };
}

function toElicited(answer: unknown, yes: string, read: (input: unknown) => Elicited['content']): Elicited {
  const { action, input } = isRecord(answer) ? answer : {};
  if (action === 'cancel' || action === 'deny') return { action: 'decline' };
  if (action !== yes) return { action: 'cancel' };
  const content = read(input);
  return { action: 'accept', ...(content && { content }) };
}

/** @throws TypeError if a field is marked as a secret */
function requireOpen(schema: unknown): void {
  const fields = isRecord(schema) && isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  for (const [name, field] of fields) {
    const marks = isRecord(field) && isRecord(field._meta) ? Object.values(field._meta) : [];
    if (marks.some((mark) => isRecord(mark) && mark.isSecret === true)) throw new TypeError(`"${name}" is a secret`);
  }
}
