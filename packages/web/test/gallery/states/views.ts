import type { FormSchema, ShownView } from '@parleyhq/core';
import { input } from '../../samples.ts';
import { wait } from '../clock.ts';
import type { GalleryState, Stage } from '../stage.ts';

const colour: FormSchema = {
  type: 'form',
  fields: [
    {
      id: 'colour',
      type: 'text',
      label: 'Colour',
      description: 'As #rrggbb.',
      required: true,
      pattern: '#[0-9a-fA-F]{6}',
    },
  ],
};

const asksForColour = (view: string) => (stage: Stage) => {
  stage.open();
  const shown: ShownView = { plugin: 'forms', name: view, height: firstHeight };
  const initialValues = { colour: '#1d5f5a' };
  const asked = input(colour, { title: 'Which colour?', initialValues });
  stage.ask('c.1', { ...asked, toolName: 'pick_colour', view: shown }, { start: '#1d5f5a' });
};

/** The first height of a view, in CSS pixels; none of the views asks for it. */
const firstHeight = 200;

/** Windows of the views that have rendered their content. */
const drawn = new WeakSet<MessageEventSource>();
addEventListener('message', ({ data, source }) => {
  if (data?.type === 'drawn' && source) drawn.add(source);
});

async function waitForView(stage: Stage): Promise<void> {
  const { contentWindow } = (await stage.find('iframe')) as HTMLIFrameElement;
  while (!contentWindow || !drawn.has(contentWindow)) await wait(20);
  const log = await stage.find('[role="log"]');
  log.scrollTop = log.scrollHeight; // otherwise the position depends on the heights that the view had before
}

/** Draws a hill below the sun, as a data: URL. */
function drawHill(sky: string, hill: string, height: number): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180"><rect width="320" height="180" fill="${sky}"/>
    <circle cx="250" cy="50" r="24" fill="#f4c95d"/><path d="M0 180 Q160 ${180 - 2 * height} 320 180Z" fill="${hill}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

const choice: FormSchema = {
  type: 'form',
  fields: [
    {
      id: 'choice',
      type: 'radio',
      label: 'Image',
      required: true,
      options: [
        { value: 'before', label: 'As it is' },
        { value: 'after', label: 'With the taller hill' },
      ],
    },
  ],
};

export const viewStates: readonly GalleryState[] = [
  { name: 'view: a colour', before: asksForColour('colour'), after: waitForView },
  {
    name: 'view: two images',
    before: (stage) => {
      stage.open();
      const data = {
        before: { label: 'As it is', image: drawHill('#bcd9e8', '#4d7c5b', 60) },
        after: { label: 'With the taller hill', image: drawHill('#f0c9a8', '#6b5b7c', 130) },
      };
      const view: ShownView = { plugin: 'forms', name: 'comparison', height: firstHeight, data };
      stage.ask(
        'c.1',
        {
          ...input(choice, { title: 'Which picture for the title?', initialValues: { choice: 'after' } }),
          toolName: 'compare_images',
          view,
        },
        { question: 'Which picture for the title?' },
      );
    },
    after: waitForView,
  },
  {
    name: 'view: the plain form in its place',
    before: asksForColour('colour'),
    after: (stage) => stage.click('Use the plain form'),
  },
  {
    name: 'view: it failed',
    before: asksForColour('gone'),
    after: async (stage) => {
      await stage.find('[role="status"]', /view of “forms” is not shown/);
    },
  },
  {
    name: 'view: an approval',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', {
        title: 'Go on with the roll-out?',
        subject: { kind: 'command', text: 'deploy --to production --share 50' },
        view: {
          plugin: 'forms',
          name: 'bars',
          height: firstHeight,
          data: { label: 'Errors in each hour', counts: [3, 2, 4, 3, 9, 5, 3, 2, 2, 1, 2, 1] },
        },
      });
    },
    after: waitForView,
  },
];
