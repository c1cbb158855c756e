// Compares the documents with the code: every example is part of a tested file or parses, every name in a table exists, every link has a target.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { powers } from '../packages/cli/src/settings/config-subjects.ts';
import { settingTypes } from '../packages/cli/src/settings/setting-types.ts';
import { variableOf } from '../packages/cli/src/settings/settings.ts';
import { settingRows } from '../packages/cli/src/settings/settings-table.ts';
import * as core from '../packages/core/src/index.ts';
import { listFiles } from './gates/files.mjs';
import { ROOMS } from './gates/layers.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file) => readFileSync(join(ROOT, file), 'utf8');
const countLines = (file) => read(file).trimEnd().split('\n').length;
const documents = listFiles(ROOT).filter((file) => /^(docs\/.*|[A-Z]+)\.md$/.test(file));

/** Returns the fenced blocks with their language, the example named by the comment before them, and the heading above them. */
function readBlocks(text) {
  const FENCE = /^(?:<!-- (\S+) -->\n)?```(\w*)\n([\s\S]*?)^```$/gm;
  return [...text.matchAll(FENCE)].map(({ 1: example, 2: language, 3: body, index }) => {
    const [, section] = [...text.slice(0, index).matchAll(/^## (.*)$/gm)].at(-1) ?? [];
    return { example, language, body, section };
  });
}

/** Reads consecutive JSON values, each starting at the beginning of a line. */
const readValues = (body) => body.split(/\n(?=\{)/).map((text) => JSON.parse(text));

const optionsOf = (union) => union._zod.def.options.map((option) => [...option._zod.def.shape.type._zod.def.values][0]);
const shapeOf = (schema) => Object.keys(schema._zod.def.shape);
const codesIn = (text) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code);

describe('every document', () => {
  test.each(documents)('%s: links lead to existing files and headings', (file) => {
    const text = read(file).replace(/^```[\s\S]*?^```$/gm, '');
    const missing = [...text.matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)]
      .map(([, link]) => link)
      .filter((link) => {
        const [path, anchor] = link.split('#');
        const target = path === '' ? join(ROOT, file) : resolve(ROOT, dirname(file), path);
        return !existsSync(target) || (anchor && !readAnchors(readFileSync(target, 'utf8')).includes(anchor));
      });
    expect(missing).toEqual([]);
  });

  test.each(documents)('%s: code is part of an example', (file) => {
    const blocks = readBlocks(read(file)).filter(
      ({ language, example }) => example || ['js', 'ts', 'mjs'].includes(language),
    );
    for (const { example, body } of blocks) {
      expect(example, `a code block without its file: ${body.slice(0, 80)}`).toBeDefined();
      expect(flatten(read(`docs/examples/${example}`))).toContain(flatten(body));
    }
  });
});

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names existing files', (file) => {
  const paths = codesIn(read(file))
    .filter((code) => /^(core|client|runtime|testkit|server|web|cli)\/[\w./-]+$/.test(code))
    .map((path) => `packages/${path}`);
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test.each([
  ['Rooms of the core', 'core'],
  ['Rooms of the runtime', 'runtime'],
  ['Rooms of the server', 'server'],
  ['Extensions of the server', 'server/extensions'],
  ['Rooms of the page', 'web'],
  ['Rooms of the command', 'cli'],
])("docs/architecture.md: %s, in the gate's order", (words, name) => {
  const [, section] = read('docs/architecture.md').split(`### ${words}\n`);
  const [, table] = /\| Room \| Holds \|\n([\s\S]*?)\n\n/.exec(section);
  const rooms = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => codesIn(cell));
  expect(rooms.map((room) => room.replace(/\/$/, ''))).toEqual(ROOMS[name]);
});

test('docs/architecture.md lists the extensions that follow commits in their order', async () => {
  const { ParleyServer } = await import('../packages/server/src/server.ts');
  const { openMemoryStore } = await import('../packages/server/src/testing/memory-store.ts');
  const server = new ParleyServer({ store: openMemoryStore() });
  onTestFinished(() => server.close());
  const [, table] = /\| \| Extension \| .*\n.*\n([\s\S]*?)\n\n/.exec(read('docs/architecture.md'));
  expect([...table.matchAll(/^\| \d+ \| (.*?) \|/gm)].map(([, name]) => name)).toEqual(server.followers);
});

test('every example is shown in a document', () => {
  const text = documents.map(read).join('\n');
  const examples = listFiles(join(ROOT, 'docs/examples')).filter((name) => !/^test\/|(?<!hello)\.test\.ts$/.test(name));
  expect(examples.filter((name) => !text.includes(`<!-- ${name} -->`))).toEqual([]);
});

test('[OPS8] CHANGELOG.md says for each release what its upgrade needs', () => {
  const [, ...releases] = read('CHANGELOG.md').split(/^## /m);
  expect(releases.filter((text) => !/^### Upgrade\n\n[^#]*^- /m.test(text)).map((text) => text.split('\n')[0])).toEqual(
    [],
  );
});

test('README and AGENTS are short', () => {
  expect(countLines('README.md')).toBeLessThanOrEqual(120);
  expect(countLines('AGENTS.md')).toBeLessThanOrEqual(40);
});

describe('docs/protocol.md', () => {
  const blocks = readBlocks(read('docs/protocol.md')).filter(({ language }) => language === 'json');
  const examplesOf = (...sections) =>
    blocks.filter(({ section }) => sections.includes(section)).flatMap(({ body }) => readValues(body));
  const typesOf = (values) => new Set(values.map(({ type }) => type));
  const [hello, welcome] = examplesOf('Connecting');

  test('shows a valid example of each client frame', () => {
    const frames = [hello, ...examplesOf('Client frames')];
    for (const frame of frames) expect(core.clientFrameSchema.parse(frame)).toEqual(frame);
    expect(typesOf(frames)).toEqual(new Set(optionsOf(core.clientFrameSchema)));
  });

  test('shows a valid example of each server frame', () => {
    const frames = [welcome, ...examplesOf('Server frames')];
    for (const frame of frames) {
      const schema = frame.ok === false ? core.refusedReplySchema : core.serverFrameSchema;
      expect(schema.parse(frame)).toEqual(frame);
    }
    expect(typesOf(frames)).toEqual(new Set(optionsOf(core.serverFrameSchema)));
  });

  test('shows a valid payload of each event', () => {
    const events = examplesOf('Events');
    for (const { type, payload } of events) expect(core.payloadSchemas[type].parse(payload)).toEqual(payload);
    expect(typesOf(events)).toEqual(new Set(Object.keys(core.payloadSchemas)));
    const envelopes = examplesOf('Server frames').flatMap(({ event, events = [] }) => (event ? [event] : events));
    for (const event of envelopes) expect(core.envelopeSchema.parse(event)).toEqual(event);
  });

  test('has every refusal in the order of the code, and every close code', () => {
    const text = read('docs/protocol.md');
    const [, refusals, closes] = /## Refusals([\s\S]*)## Close codes([\s\S]*)/.exec(text);
    const codes = [...refusals.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => codesIn(cell));
    expect(codes.slice(0, 9)).toEqual(Object.keys(core.wireErrors).slice(0, 9));
    expect(new Set(codes)).toEqual(new Set(Object.keys(core.wireErrors)));
    const closeCodes = [...closes.matchAll(/^\| (\d+) \|.*\| (yes|no) \|/gm)];
    expect(new Set(closeCodes.map(([, code]) => Number(code)))).toEqual(new Set(Object.values(core.closeCodes)));
    for (const [, code, back] of closeCodes) expect(core.isWorthRetrying(Number(code)), code).toBe(back === 'yes');
  });
});

describe('docs/plugin-reference.md', () => {
  const text = read('docs/plugin-reference.md');
  const named = new Set(codesIn(text.replace(/^```[\s\S]*?^```$/gm, '')).flatMap((code) => code.match(/\w+/g) ?? []));
  const missing = (names) => names.filter((name) => !named.has(name));

  test('names every option of a request, every field type and every member of a field', () => {
    expect(missing(shapeOf(core.interactionSpecSchema))).toEqual([]);
    expect(missing(core.fieldTypes)).toEqual([]);
    expect(missing(shapeOf(core.fieldSchema))).toEqual([]);
    expect(missing(core.textFormats.flatMap((format) => format.split('-')))).toEqual([]);
  });

  test('names every code that Parley gives an agent, and every member of the context', () => {
    expect(missing(core.toolErrorCodes)).toEqual([]);
    const sources = listFiles(join(ROOT, 'packages/core/src')).map((file) => read(`packages/core/src/${file}`));
    const [, context] = /interface ToolContext \{([\s\S]*?)\n\}/.exec(sources.join('\n'));
    expect(missing([...context.matchAll(/^ {2}(?:readonly )?(\w+)[:(<]/gm)].map(([, name]) => name))).toEqual([]);
  });
});

describe('docs/operations.md', () => {
  const text = read('docs/operations.md');
  const found = (source, pattern) => new Set([...source.matchAll(pattern)].map(([match, group]) => group ?? match));

  test('has, together with connect.md, every flag of every command, and no other', async () => {
    const { makeProgram } = await import('../packages/cli/src/program.ts');
    const withBelow = (command) => [command, ...command.commands.flatMap(withBelow)];
    const help = makeProgram()
      .commands.flatMap(withBelow)
      .map((command) => command.helpInformation());
    const flags = found(help.join('\n'), /--[a-z-]+/g);
    flags.delete('--help');
    const shown = found(text + read('docs/connect.md'), /--[a-z][a-z-]+/g);
    shown.delete('--import'); // a flag of Node, in the example for traces
    shown.delete('--listen'); // a flag of Codex
    for (const flag of ['--permission-mode', '--permission-prompt-tool']) shown.delete(flag); // flags of Claude Code
    expect(shown).toEqual(flags);
  });

  test('has every setting with its flag, variable and default, and no other variable', () => {
    const table = text.slice(text.indexOf('| Key | Flag'), text.indexOf('\n\n', text.indexOf('| Key | Flag')));
    const shown = [...table.matchAll(/^\| `(\w+)` \| (.*?) ?\| (.*?) ?\| .+ \|$/gm)].map(([, ...cells]) => cells);
    const expected = settingRows.map(([key, { flag, help, default: value }], index) => {
      const names = [help && flag.split(' ')[0], variableOf(key)].filter(Boolean).map((name) => `\`${name}\``);
      const free = shown[index]?.[2]; // a default that is not a constant
      const fixed = typeof value === 'object' ? '' : `\`${value}\``;
      return [key, names.join(', '), value === undefined ? free : fixed];
    });
    expect(shown).toEqual(expected);
    const others = found(read('packages/cli/src/settings/settings.ts'), /(?<=env\.)PARLEY_[A-Z_]+/g);
    const variables = settingRows.flatMap(([key]) => variableOf(key) ?? []);
    expect(found(text, /PARLEY_[A-Z_]+/g)).toEqual(new Set([...variables, ...others]));
  });

  test('names every setting by which a config file in the working directory needs trust', () => {
    const [, list] = /- a config file that is a module, ([\s\S]*?)\n- /.exec(text);
    const named = new Set([...codesIn(list).map((code) => code.replace(/^"(\w+)".*/, '$1')), 'policies']);
    expect(list).toContain('or a policy that allows');
    expect(named).toEqual(new Set(Object.keys(powers)));
  });

  test('has every metric, and no other', () => {
    expect(found(text, /\bparley_[a-z_]+/g)).toEqual(
      found(read('packages/server/src/extensions/telemetry/metrics.ts'), /\bparley_[a-z_]+/g),
    );
  });
});

describe('docs/threat-model.md', () => {
  const text = read('docs/threat-model.md');

  test('has a row for every threat, and each names existing tests or a planned rule', () => {
    const rows = [...text.matchAll(/^\| T(\d+) \|(.*)\|(.*)\|(.*)\|$/gm)];
    expect(rows.length).toBeGreaterThanOrEqual(26);
    expect(rows.map(([, number]) => Number(number))).toEqual(rows.map((_, n) => n + 1));
    const bare = rows.filter(([row, , , , tests]) => codesIn(tests).length === 0 && !/\[[A-Z]+\d+\]/.test(row));
    expect(bare).toEqual([]);
    const files = new Set(listFiles(ROOT).map((file) => basename(file)));
    expect(codesIn(text).filter((name) => /\.test\.\w+$/.test(name) && !files.has(name))).toEqual([]);
  });
});

describe('docs/agents.md', () => {
  const text = read('docs/agents.md');
  const rowsOf = (heading) => {
    const table = text.slice(text.indexOf(`| ${heading} |`));
    return [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => codesIn(cell));
  };
  const between = (file, pattern) => pattern.exec(read(file))[1];

  test('has every setting of the agent, and no other', () => {
    expect(rowsOf('Key')).toEqual(shapeOf(settingTypes.anthropic));
  });

  test('has every error code, and no other', () => {
    const union = between('plugins/anthropic/src/messages-error.ts', /type FaultCode =([^;]*);/);
    expect(new Set(rowsOf('Code'))).toEqual(new Set([...union.matchAll(/'(\w+)'/g)].map(([, code]) => code)));
  });

  test('has every option of claude-agent, its version, and no other', () => {
    const shape = between('plugins/claude-agent/src/index.ts', /strictObject\(\{([\s\S]*?)\n {2}\}\)/);
    expect(rowsOf('Option')).toEqual([...shape.matchAll(/^ {4}(\w+):/gm)].map(([, key]) => key));
    const { peerDependencies } = JSON.parse(read('plugins/claude-agent/package.json'));
    const [[name, version]] = Object.entries(peerDependencies);
    expect(text).toContain(`npm install --no-save ${name}@${version}\n`);
    expect(text).toContain(`\`${name}\` ${version} `);
  });

  test('has every part that an agent may yield, and no other', () => {
    const union = between('packages/core/src/plugin/agent.ts', /type AgentPart =([\s\S]*)/);
    expect(new Set(rowsOf('Part'))).toEqual(new Set([...union.matchAll(/type: '(\w+)'/g)].map(([, type]) => type)));
  });

  test('names the version of the SDK that is installed', () => {
    const { dependencies } = JSON.parse(read('plugins/anthropic/package.json'));
    expect(text).toContain(`\`@anthropic-ai/sdk\` ${dependencies['@anthropic-ai/sdk']},`);
  });

  test('shows an agent of at most 40 lines', () => {
    const [{ body }] = readBlocks(text).filter(({ example }) => example === 'local.ts');
    expect(body.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });
});

/** Returns the anchors of a document's headings. */
function readAnchors(text) {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Removes indentation, so that an excerpt need not be indented like its file. */
function flatten(text) {
  return text.replace(/^ +/gm, '').trim();
}
