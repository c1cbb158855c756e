import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const MODULES = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'node_modules');

/** A gate that runs an installed tool on `root`; where the tool fails, its output is the problem. */
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
/** Type-checks all sources and tests as one program, without a build. */
export const checkTypes = tool('typescript/bin/tsc', '-p', 'tsconfig.check.json', '--pretty', 'false');
/** Unused files, exports and dependencies, and dependencies that no manifest lists. */
export const checkDeadCode = tool('knip/bin/knip.js', '--no-progress', '--no-config-hints');
