import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallOutput } from './pending-call.ts';

/** In characters. The SDK replaces an MCP result of more than 25,000 tokens by an error; it does not count shorter ones. */
const maxShown = 40_000;

/** Shortens a result so that the SDK passes it on: its beginning, and the file in which the model can read the whole. */
export async function fitResult(output: CallOutput, folder: string, toolCallId: string): Promise<CallOutput> {
  const { length } = output.text;
  if (length <= maxShown) return output;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${encodeURIComponent(toolCallId)}.txt`);
  await writeFile(file, output.text, { mode: 0o600 });
  const start = output.text.slice(0, maxShown).replace(/\p{Surrogate}$/u, '');
  return { ...output, text: `${start}\n\n[${start.length} of ${length} characters. The whole result is in ${file}]` };
}
