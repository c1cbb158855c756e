import './clock.ts';
import { wait } from './clock.ts';
import { FakeSocket } from './fake-socket.ts';
import { type GalleryState, listAll, Stage } from './stage.ts';
import { galleryStates } from './states/index.ts';

Object.assign(globalThis, { WebSocket: FakeSocket, fetch: answer });
/** Loaded once the page's own clock and network are replaced. */
const app = Promise.all([import('../../src/shell/app.ts'), import('../../src/shell/after-start.ts')]);

/** What the page asks of the server besides its socket. */
async function answer(path: string): Promise<Response> {
  const logins = [
    {
      id: 'a',
      label: 'Chrome on Linux',
      createdAt: '2026-03-01T09:00:00.000Z',
      lastSeenAt: '2026-03-02T10:00:00.000Z',
      isThis: true,
    },
  ];
  return Response.json(String(path).includes('/api/logins') ? { logins } : {});
}

let shown: HTMLElement | undefined;

/** What tests and people use of this page. */
const gallery = {
  names: galleryStates.map(({ name }) => name),

  /** Shows a state, and waits until nothing moves. */
  async show(name: string): Promise<void> {
    const state = galleryStates.find((one) => one.name === name);
    if (!state) throw new Error(`There is no state "${name}".`);
    await app;
    shown?.remove();
    sessionStorage.clear();
    localStorage.clear();
    const stage = new Stage();
    state.before?.(stage);
    history.replaceState(null, '', state.path ?? `/s/${stage.sessionId}`);
    shown = document.createElement('parley-app');
    document.body.append(shown);
    await play(state, stage);
    await rest();
  },

  /** Waits until nothing moves: fonts and parts are loaded, and every element drew what it knows. */
  rest,
};

async function play(state: GalleryState, stage: Stage): Promise<void> {
  await rest();
  await state.after?.(stage);
}

/** Frames without any change after which the page is at rest. */
const quietFrames = 6;

async function rest(): Promise<void> {
  await document.fonts.ready;
  let last = '';
  for (let quiet = 0, frames = 0; quiet < quietFrames && frames < 300; frames += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    await wait(10);
    const now = describePage();
    quiet = now === last ? quiet + 1 : 0;
    last = now;
  }
}

function describePage(): string {
  return listAll(document.body)
    .map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const isOff = element.matches(':disabled') ? '-' : '';
      return `${Math.round(x)} ${Math.round(y)} ${Math.round(width)} ${Math.round(height)}${isOff}${element.className}`;
    })
    .join();
}

export type GalleryPage = typeof gallery;

Object.assign(window, { states: gallery });

const wanted = new URLSearchParams(location.search).get('state');
if (wanted !== null) void gallery.show(wanted);
