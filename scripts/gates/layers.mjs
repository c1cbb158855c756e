import { isTest, listSources } from './files.mjs';
import { findImports, readSources, workspaceOf } from './imports.mjs';

/** Which workspaces each may depend on. `cli` is the composition root and may depend on all. */
const ALLOWED = {
  'packages/core': [],
  'packages/client': ['packages/core'],
  'packages/server': ['packages/core'],
  'packages/web': ['packages/core', 'packages/client'],
  plugins: ['packages/core'],
  'plugins/postgres': ['packages/core', 'packages/server'], // a store: it refuses and audits as the others do
};
/** Only one of our files imports a third-party SDK, so that replacing it means changing that file. */
const SINGLE_FILE = [
  '@anthropic-ai/sdk',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  '@opentelemetry/api',
  'better-sqlite3',
  'postgres',
  'web-push',
  'ws',
];
const FORBIDDEN = { 'packages/client': ['ws'], 'packages/web': ['ws'] };
/** The core takes the time, randomness and timers as arguments. */
const IMPURE =
  /\b(Date\.now|Math\.random|performance\.now|crypto\.\w+|setTimeout|setInterval|queueMicrotask|fetch)\b|\bnew Date\(\)/;

/** Where the rooms of the server are: the files and folders directly below. */
const SERVER = 'packages/server/src/';
/** The rooms of the server, top to bottom. A room imports only rooms below it; a new one needs a place here. */
export const ROOMS = [
  'index.ts',
  'embedded.ts',
  'server.ts',
  'parts.ts',
  'join-others.ts',
  'server-options.ts',
  'transport',
  'http',
  'mcp',
  'entrance',
  'outside',
  'hub',
  'turn',
  'call',
  'grant',
  'reach',
  'files',
  'session',
  'tabs',
  'auth',
  'tools',
  'log',
  'node',
];
/** Implementations of the core's ports. They import no room, and only the composition root imports them. */
const ADAPTERS = ['agent', 'store'];
const COMPOSITION_ROOT = ['index.ts', 'embedded.ts', 'server.ts', 'parts.ts', 'join-others.ts'];

export function checkLayers(root) {
  const files = listSources(root).filter((file) => /^(packages|plugins)\/[^/]+\/src\//.test(file) && !isTest(file));
  const sources = readSources(root, files);
  const imports = findImports(sources);
  return [
    ...findCrossings(imports),
    ...findUnknownRooms(files),
    ...findUpwardImports(imports),
    ...findSpreadSdks(imports),
    ...findImpurities(sources),
    ...findInsideImports(root),
  ];
}

/** A path that leaves the workspace, in a test of a plugin or of an example: outside authors write such, with what the packages export (PLG5). */
function findInsideImports(root) {
  const files = listSources(root).filter((file) => /^(plugins|docs\/examples)\//.test(file));
  const placeOf = (path) => (path.startsWith('docs/examples/') ? 'docs/examples' : workspaceOf(path));
  return findImports(readSources(root, files)).flatMap(({ file, specifier, target }) =>
    specifier.startsWith('.') && placeOf(target) !== placeOf(file)
      ? [`${file} imports ${specifier}: use what the package exports`]
      : [],
  );
}

function findCrossings(imports) {
  return imports.flatMap(({ file, specifier, target }) => {
    const from = workspaceOf(file);
    const to = target && workspaceOf(target);
    if (FORBIDDEN[from]?.includes(specifier)) return [`${file} imports ${specifier}, which ${from} must not use`];
    const allowed = ALLOWED[from] ?? ALLOWED[from.split('/')[0]];
    if (!to || to === from || !allowed || allowed.includes(to)) return [];
    return [`${file} imports ${specifier}: ${from} must not depend on ${to}`];
  });
}

function findUnknownRooms(files) {
  const rooms = new Set(files.map(roomOf).filter(Boolean));
  return [...rooms]
    .filter((room) => !isPlaced(room))
    .map((room) => `${SERVER}${room} has no place among ROOMS in scripts/gates/layers.mjs`);
}

function findUpwardImports(imports) {
  return imports.flatMap(({ file, target }) => {
    const from = roomOf(file);
    const to = target && roomOf(target);
    if (!isPlaced(from) || !isPlaced(to) || from === to || mayImport(from, to)) return [];
    return [`${file} imports ${target}: ${from} is not above ${to}`];
  });
}

const isPlaced = (room) => ROOMS.includes(room) || ADAPTERS.includes(room);

function mayImport(from, to) {
  if (ADAPTERS.includes(from)) return false;
  if (ADAPTERS.includes(to)) return COMPOSITION_ROOT.includes(from);
  return ROOMS.indexOf(to) > ROOMS.indexOf(from);
}

/** The folder directly below `packages/server/src`, or the file itself; undefined outside of the server. */
function roomOf(file) {
  return file.startsWith(SERVER) && !isTest(file) ? file.slice(SERVER.length).split('/')[0] : undefined;
}

function findSpreadSdks(imports) {
  return SINGLE_FILE.flatMap((sdk) => {
    const files = new Set(imports.filter(({ specifier }) => specifier === sdk).map(({ file }) => file));
    return files.size > 1 ? [`${sdk} is imported by ${[...files].join(', ')}: keep it in one file`] : [];
  });
}

function findImpurities(sources) {
  return sources
    .filter(({ file }) => file.startsWith('packages/core/'))
    .flatMap(({ file, text }) =>
      text.split('\n').flatMap((line, index) => {
        const impure = IMPURE.exec(line)?.[0];
        return impure ? [`${file}:${index + 1} uses ${impure}: core takes it as an argument`] : [];
      }),
    );
}
