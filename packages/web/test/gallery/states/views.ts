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

/** In CSS pixels: what none of the views asks for. */
const firstHeight = 200;

/** A view that was shown what it is about asks for its height. */
async function waitForView(stage: Stage): Promise<void> {
  const frame = await stage.find('iframe');
  while (frame.style.blockSize === `${firstHeight}px`) await wait(20);
}

export const viewStates: readonly GalleryState[] = [
  { name: 'view: a colour', before: asksForColour('colour'), after: waitForView },
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
