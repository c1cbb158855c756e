import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const MODULES = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'node_modules');

/** Makes a gate that runs an installed tool on `root`; if the tool fails, its output is the problem. */
const tool =
  (script, ...args) =>
  (root) =>
    new Promise((resolve, reject) => {
      const stdio = ['ignore', 'pipe', 'pipe'];
      const child = spawn(process.execPath, [join(MODULES, script), ...args], { cwd: root, stdio });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      child.on('error', reject);
      child.on('close', (code) => resolve(code === 0 ? [] : [output.trim() || `${script} exited with ${code}`]));
    });

/** Formatting, lint and import rules; warnings count as errors. */
export const checkStyle = tool(
  '@biomejs/biome/bin/biome',
  'ci',
  '--colors=off',
  '--error-on-warnings',
  '--max-diagnostics=60',
  '.',
);
const compile = (project) => tool('typescript/bin/tsc', '-p', project, '--pretty', 'false');
const program = compile('tsconfig.check.json');
const workerProject = 'packages/web/worker/tsconfig.json';

/** Type-checks all sources and tests as one program, without a build, and the service worker, which has no DOM, as another. */
export async function checkTypes(root) {
  const checks = existsSync(join(root, workerProject)) ? [program, compile(workerProject)] : [program];
  return (await Promise.all(checks.map((check) => check(root)))).flat();
}
/** Unused files, exports and dependencies, and dependencies that no manifest lists. */
export const checkDeadCode = tool('knip/bin/knip.js', '--no-progress', '--no-config-hints');
