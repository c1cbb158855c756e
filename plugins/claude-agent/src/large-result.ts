import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallOutput } from './pending-call.ts';

/** In characters. The SDK replaces the result of an MCP tool by an error above 25,000 tokens, and counts none this short. */
const maxShown = 40_000;

/** A result that the SDK passes on whole: of a longer one the beginning, and where the model can read the rest. */
export async function fitResult(output: CallOutput, folder: string, toolCallId: string): Promise<CallOutput> {
  const { length } = output.text;
  if (length <= maxShown) return output;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${encodeURIComponent(toolCallId)}.txt`);
  await writeFile(file, output.text, { mode: 0o600 });
  const start = output.text.slice(0, maxShown).replace(/\p{Surrogate}$/u, '');
  return { ...output, text: `${start}\n\n[${start.length} of ${length} characters. The whole result is in ${file}]` };
}
