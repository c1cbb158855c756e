import type { FormSchema } from '@parleyhq/core';
import { approval, input } from '../../samples.ts';
import type { GalleryState, Stage } from '../stage.ts';

const papers: FormSchema = {
  type: 'form',
  fields: [
    { id: 'cv', type: 'file', label: 'CV', required: true, accept: ['.pdf'], maxBytes: 2 * 1024 * 1024 },
    { id: 'photos', type: 'file', label: 'Photos', description: 'Two or three.', accept: ['image/*'], multiple: true },
  ],
};

const given = (fileId: string, name: string, size: number) => ({
  ...{ fileId, name, size },
  mediaType: 'application/octet-stream',
  sha256: '0'.repeat(64),
});
const cv = given('f1', 'Ada Lovelace.pdf', 240_000);
const long = 'A very long name that somebody gave to a picture of a mill in the evening light, second attempt.jpeg';
const photos = [given('f2', 'mill.jpeg', 1_800_000), given('f3', long, 3_100_000)];
const asked = input(papers, { title: 'Your papers?' });

/** Chooses a file as people do in the browser's dialog, which no script can open. */
async function choose(stage: Stage, name: string, size: number): Promise<void> {
  const control = (await stage.find('input[type="file"]')) as HTMLInputElement;
  const chosen = new DataTransfer();
  chosen.items.add(new File([new Uint8Array(size)], name, { type: 'application/pdf' }));
  control.files = chosen.files;
  control.dispatchEvent(new Event('change'));
}

export const fileStates: readonly GalleryState[] = [
  {
    name: 'form: files',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', asked);
    },
    after: async (stage) => void (await stage.find('.drop')),
  },
  {
    name: 'form: files are given',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', { ...asked, initialValues: { cv, photos } });
    },
    after: async (stage) => void (await stage.find('.files .name')),
  },
  {
    name: 'form: a file is under way',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', asked);
    },
    after: async (stage) => {
      await choose(stage, 'Ada Lovelace.pdf', 1_000_000);
      await stage.find('.files .about', '45 %');
    },
  },
  {
    name: 'form: a file is too large',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', asked);
    },
    after: (stage) => choose(stage, 'Collected works.pdf', 3_000_000),
  },
  {
    name: 'settled: files',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', asked);
      stage.respond('c.1', { action: 'submit', input: { cv, photos } });
    },
    after: (stage) => stage.click(/Your papers/),
  },
  {
    name: 'prompt: a file is being attached',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', approval);
    },
    after: async (stage) => {
      await stage.click('Add a reason'); // on a phone the next button comes with it
      await stage.click('Attach files');
      await choose(stage, 'Screenshot.png', 1_000_000);
      await stage.find('.files .about', '45 %');
      await stage.click(/^Deny/);
      await stage.find('#awaited');
    },
  },
  {
    name: 'message: files are attached',
    before: (stage) => {
      stage.open();
      stage.startTurn();
      stage.say('Done.');
      stage.end();
    },
    after: async (stage) => {
      await stage.type('textarea', 'The picture is cut off on my phone. What is wrong?');
      await stage.click('Attach files to the message');
      await choose(stage, 'Screenshot.png', 1_000_000);
      await stage.find('.files .about', '45 %');
      for (const name of ['log.pdf', 'notes.pdf']) await choose(stage, name, 1_000_000);
    },
  },
  {
    name: 'message: files',
    before: (stage) => {
      stage.open();
      stage.append({
        type: 'user_message',
        payload: {
          messageId: 'm0',
          text: 'The picture is cut off. What is wrong?',
          origin: 'user',
          from: stage.grace,
          files: photos,
        },
        turnId: 't0',
      });
      stage.append({
        type: 'user_message',
        payload: { messageId: 'm1', text: '', origin: 'user', files: [cv] },
        turnId: 't0',
      });
    },
    after: async (stage) => void (await stage.find('parley-given-files')),
  },
  {
    name: 'settled: files attached',
    before: (stage) => {
      stage.open();
      stage.ask('c.1', approval);
      stage.respond('c.1', { action: 'deny', reason: 'It looks like this.', files: photos });
    },
    after: (stage) => stage.click(/Denied/),
  },
];
