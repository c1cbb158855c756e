import { isTest, listSources } from './files.mjs';
import { findImports, readSources, workspaceOf } from './imports.mjs';

/** The workspaces on which each workspace may depend. `cli` is the composition root and may depend on all. */
const ALLOWED = {
  'packages/core': [],
  'packages/claude-tools': ['packages/core'],
  'packages/client': ['packages/core'],
  'packages/runtime': ['packages/core'],
  'packages/testkit': ['packages/core', 'packages/runtime'],
  'packages/store-kit': ['packages/core'],
  'packages/door-kit': ['packages/core'],
  'packages/server': ['packages/core', 'packages/runtime', 'packages/store-kit'],
  'packages/web': ['packages/core', 'packages/client', 'packages/claude-tools'],
  plugins: ['packages/core', 'packages/claude-tools', 'packages/door-kit'],
  'plugins/postgres': ['packages/core', 'packages/store-kit'],
};
/** Third-party SDKs that only one file of a workspace may import, so that replacing an SDK means changing one file. */
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

/**
 * The rooms of each package, the files and folders directly below its `src`, and of the folders of the server that have rooms of
 * their own, top to bottom. A room imports only rooms below it; a new one needs a place here.
 */
export const ROOMS = {
  core: ['index.ts', 'transcript', 'wire', 'decide', 'ports', 'plugin', 'log', 'prompt', 'form', 'schema', 'basics'],
  server: ['index.ts', 'server.ts', 'compose.ts', 'server-options.ts', 'http', 'connection', 'extensions', 'auth'],
  'server/extensions': [
    'list-extensions.ts',
    'nodes',
    'programs',
    'notifications',
    'feeds',
    'presence',
    'inbox',
    'files',
    'telemetry',
    'statistics',
    'retention',
  ],
  'server/adapters': [],
  runtime: ['index.ts', 'hub', 'turn', 'call', 'grant', 'session', 'tabs', 'tools', 'log', 'node'],
  web: [
    'embed',
    'main.ts',
    'one-time-link',
    'app',
    'inbox',
    'session',
    'dialogs',
    'notify',
    'transcript',
    'prompt',
    'form',
    'view',
    'ui',
    'browser',
    'styles',
  ],
  cli: [
    'main.ts',
    'program.ts',
    'doctor',
    'plugin-commands',
    'connect',
    'authoring',
    'serve',
    'ask',
    'inbox',
    'chat',
    'terminal',
    'admin',
    'running-server',
    'store',
    'settings',
    'io',
    'completion',
    'own-commands.ts',
    'own-package.ts',
  ],
};
/** Implementations of the core's ports in the server's `adapters`. They import no room, and only the composition root imports them. */
const ADAPTERS = ['agent', 'store'];
const COMPOSITION_ROOT = ['index.ts', 'server.ts', 'compose.ts'];

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

/** Finds relative imports that leave a plugin or the examples: like outside authors, they may only use package exports (PLG5). */
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
  const rooms = new Set(
    files
      .flatMap(roomsOf)
      .filter((room) => !isPlaced(room))
      .map(pathOfRoom),
  );
  return [...rooms].map((room) => `${room} has no place among ROOMS in scripts/gates/layers.mjs`);
}

function findUpwardImports(imports) {
  return imports.flatMap(({ file, target }) => {
    const targets = target ? roomsOf(target) : [];
    return roomsOf(file).flatMap((from) => {
      const to = targets.find(({ house }) => house === from.house);
      if (!to || from.name === to.name || !isPlaced(from) || !isPlaced(to) || mayImport(from, to)) return [];
      return [`${file} imports ${target}: ${from.name} is not above ${to.name}`];
    });
  });
}

const isAdapter = ({ house, name }) =>
  house === 'server/adapters' ? ADAPTERS.includes(name) : house === 'server' && name === 'adapters';

const isPlaced = (room) => ROOMS[room.house].includes(room.name) || isAdapter(room);

function mayImport(from, to) {
  if (isAdapter(from)) return false;
  if (isAdapter(to)) return COMPOSITION_ROOT.includes(from.name);
  const rooms = ROOMS[from.house];
  return rooms.indexOf(to.name) > rooms.indexOf(from.name);
}

/** Returns the rooms that a file is in, each with the key of its list in ROOMS; none for tests and packages without rooms. */
function roomsOf(file) {
  const [, name, path] = /^packages\/([^/]+)\/src\/(.+)/.exec(file) ?? [];
  if (!(name in ROOMS) || isTest(file)) return [];
  const [outer, inner] = path.split('/');
  const house = `${name}/${outer}`;
  return [{ house: name, name: outer }, ...(house in ROOMS ? [{ house, name: inner }] : [])];
}

function pathOfRoom({ house, name }) {
  const [packageName, ...folders] = house.split('/');
  return ['packages', packageName, 'src', ...folders, name].join('/');
}

function findSpreadSdks(imports) {
  return SINGLE_FILE.flatMap((sdk) => {
    const files = [...new Set(imports.filter(({ specifier }) => specifier === sdk).map(({ file }) => file))];
    const isSpread = new Set(files.map(workspaceOf)).size < files.length;
    return isSpread ? [`${sdk} is imported by ${files.join(', ')}: keep it in one file of a workspace`] : [];
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
