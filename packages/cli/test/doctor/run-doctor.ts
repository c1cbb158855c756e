import { ParleyProcess } from '../../../server/test/support/command.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import type { Finding } from '../../src/doctor/finding.ts';

interface Report {
  readonly exit: number | null;
  readonly findings: readonly Finding[];
  /** Codes of what is not as it should be, in order, without those of a server that nobody else reaches. */
  readonly codes: readonly (string | undefined)[];
  readonly stderr: string;
}

/** Runs `parley doctor --json` with a home folder of its own, in which no program is connected. */
export async function runDoctor(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: { readonly isBound?: boolean; readonly cwd?: string } = {},
): Promise<Report> {
  const home = makeFolder();
  const alone = { HOME: home, CLAUDE_CONFIG_DIR: '', CODEX_HOME: '', PARLEY_TOKEN: '', ...env };
  const { code, stdout, stderr } = await new ParleyProcess(['doctor', '--json', ...words], {
    ...options,
    env: alone,
  }).end();
  const lines = stdout.split('\n').filter((line) => line !== '');
  const findings = lines.map((line): Finding => JSON.parse(line));
  const expected = ['only-this-computer', 'token-changes'];
  const codes = findings.flatMap(({ level, code: found = '' }) =>
    level === 'ok' || expected.includes(found) ? [] : [found],
  );
  return { exit: code, findings, codes, stderr };
}
