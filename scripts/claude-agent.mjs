// `npm run test:claude-agent`: the tests that need the Claude Agent SDK. The SDK is large, so only this script installs it, once, into a separate folder.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensure } from './ensure.mjs';
import { runVitest } from './vitest.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NAME = '@anthropic-ai/claude-agent-sdk';

/** @returns the folder of the SDK @throws Error if npm could not install it */
export function installSdk(root = ROOT) {
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'plugins/claude-agent/package.json'), 'utf8'));
  const version = peerDependencies[NAME];
  const folder = join(root, 'node_modules/.cache/parley', `claude-agent-sdk-${version}`);
  const stamp = join(folder, 'installed');
  if (existsSync(stamp)) return folder;
  console.log(`Installing ${NAME} ${version} (over 400 MB, once) …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command, ...args] = [...npm, 'install', '--no-audit', '--no-fund', '--loglevel=error', `${NAME}@${version}`];
  const { status } = spawnSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${NAME} ${version} could not be installed, so its tests did not run.`);
  writeFileSync(stamp, '');
  return folder;
}

/** Returns how many tests passed and failed; an SDK that cannot be installed counts as one failure, with a message. */
export async function testClaudeAgent(args = []) {
  try {
    await ensure({});
    process.env.PARLEY_CLAUDE_SDK = installSdk();
  } catch (error) {
    console.error(`\n✗ test:claude-agent: ${error.message}`);
    return { passed: 0, failed: 1 };
  }
  return runVitest(['--project', 'claude-agent', ...args], args.length === 0);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { passed, failed } = await testClaudeAgent(process.argv.slice(2));
  process.exitCode = failed > 0 ? 1 : 0;
  console.log(`${passed} passed, ${failed} failed`);
}
