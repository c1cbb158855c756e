import './clock.ts';
import { wait } from './clock.ts';
import { fakeFetch } from './fake-fetch.ts';
import { FakeSocket } from './fake-socket.ts';
import { contains, listSeen } from './proofs/elements.ts';
import { proofs } from './proofs/index.ts';
import { listAnimations } from './proofs/layout.ts';
import { listAll, Stage } from './stage.ts';
import { galleryStates } from './states/index.ts';

Object.assign(globalThis, { WebSocket: FakeSocket, fetch: fakeFetch });
Object.assign(document, { ariaNotify: (words: string) => announced.push(words) });
/** Loads lazy parts at the start, because the time that they take must not affect the pictures. */
const parts = import.meta.glob([
  '../../src/{app,dialogs,form,inbox,notify,page,prompt,session,transcript,ui,view}/*.ts',
  '!../../src/**/*.test.ts',
]);
/** Loaded after the page's clock and network are replaced. */
const app = Promise.all([
  import('../../src/one-time-link/once-page.ts'),
  import('../../src/one-time-link/return-page.ts'),
  ...Object.values(parts).map((load) => load()),
]);

/** Elements for paths other than the page's own. */
const elements: Readonly<Record<string, string>> = { '/once': 'parley-once', '/return': 'parley-return' };

let shown: HTMLElement | undefined;
let stage: Stage | undefined;
/** What was announced to screen readers. */
const announced: string[] = [];

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
    stage = new Stage();
    announced.length = 0;
    state.before?.(stage);
    history.replaceState(null, '', state.path ?? `/s/${stage.sessionId}`);
    shown = document.createElement(elements[location.pathname] ?? 'parley-app');
    document.body.append(shown);
    await rest();
    if (!state.after) return;
    await state.after(stage);
    await rest();
  },

  /** Headings of the prompts that this state asks the person in its session. */
  get asked(): readonly string[] {
    return stage?.listAsked() ?? [];
  },
  announced,
  proofs,

  /** Moves the focus into the menu or dialog that a press opened. @returns whether there is one */
  enterLayer(): boolean {
    const layer = listAll(document)
      .filter((element) => element.matches(':modal, :popover-open'))
      .at(-1);
    if (!layer || !stage?.hasPressed) return false;
    if (!layer.matches(':focus-within'))
      listSeen()
        .find((element) => element.matches('button:enabled, input') && contains(layer, element))
        ?.focus();
    return true;
  },

  /** Waits until nothing moves: fonts and parts are loaded, and every element is rendered. */
  rest,
};

/** The page is at rest after this many frames without a change. */
const quietFrames = 4;

async function rest(): Promise<void> {
  await document.fonts.ready;
  let last = '';
  for (let quiet = 0, frames = 0; quiet < quietFrames && frames < 300; frames += 1) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    await wait(10);
    const now = describePage();
    quiet = now === last && !isUnformatted() ? quiet + 1 : 0;
    last = now;
  }
  await Promise.all(listImagesInWindow().map((image) => image.decode().catch(() => undefined))); // a broken image is shown so
  await Promise.all(
    listAnimations()
      .filter(isFade)
      .map(({ finished }) => finished.catch(() => undefined)),
  ); // removed meanwhile
}

/** Returns the images in the window that must be decoded first. Images below the window may never be loaded. */
function listImagesInWindow(): readonly HTMLImageElement[] {
  return listSeen()
    .filter((element) => element instanceof HTMLImageElement)
    .filter((image) => image.getBoundingClientRect().top < innerHeight);
}

/** How long parts may take to fade in, in ms, even with reduced motion. */
const longestFade = 200;

function isFade({ effect, playState }: Animation): boolean {
  return playState === 'running' && Number(effect?.getComputedTiming().endTime ?? 0) <= longestFade;
}

/** Whether a text still waits to be formatted. */
const isUnformatted = (): boolean => listAll(document.body).some((element) => element.matches('.untrusted.plain'));

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
