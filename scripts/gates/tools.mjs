import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const MODULES = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'node_modules');

/** A gate that runs a tool of ours on `root`; its problems are what the tool prints. */
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

/** Format, lint and import rules; warnings are errors. */
export const checkStyle = tool(
  '@biomejs/biome/bin/biome',
  'ci',
  '--colors=off',
  '--error-on-warnings',
  '--max-diagnostics=60',
  '.',
);
/** All sources and tests as one program, from source. */
export const checkTypes = tool('typescript/bin/tsc', '-p', 'tsconfig.check.json', '--pretty', 'false');
/** Files, exports and dependencies that nothing uses, and uses of what no manifest lists. */
export const checkDeadCode = tool('knip/bin/knip.js', '--no-progress', '--no-config-hints');
