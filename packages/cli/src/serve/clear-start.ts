import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/** Indexes in /proc/self/stat, after the process name, of the start and end addresses of the arguments and the environment. */
const fields = { args: [45, 46], environment: [47, 48] } as const;

/**
 * Removes the token and the database address from what /proc shows of this process: its environment is emptied, and its arguments
 * are masked. Otherwise every command that a person approves could read them there (SEC8). The rest of `process.env` stays. Only
 * Linux lets a process do this; elsewhere the environment remains visible to programs of the same user.
 * @returns the error if it could not be done, for the operator
 */
export function clearStart(...secrets: readonly (string | undefined)[]): unknown {
  delete process.env.PARLEY_TOKEN;
  delete process.env.PARLEY_STORE;
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const numbers = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = (field: keyof typeof fields) => fields[field].map((n) => Number(numbers[n])) as [number, number];
    for (const [name, value] of Object.entries(process.env)) process.env[name] = value; // libc keeps a copy elsewhere
    const [begin, end] = start('environment');
    overwrite(begin, Buffer.alloc(end - begin));
    const args = readFileSync('/proc/self/cmdline', 'latin1');
    overwrite(start('args')[0], Buffer.from(secrets.reduce(blot, args), 'latin1'));
    return undefined;
  } catch (error) {
    return error;
  }
}

function blot(text: string, token: string | undefined = ''): string {
  const bytes = Buffer.from(token).toString('latin1');
  return bytes === '' ? text : text.replaceAll(bytes, '*'.repeat(bytes.length));
}

function overwrite(address: number, bytes: Uint8Array): void {
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    writeSync(memory, bytes, 0, bytes.length, address);
  } finally {
    closeSync(memory);
  }
}
