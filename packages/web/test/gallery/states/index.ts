import type { GalleryState } from '../stage.ts';
import { connectionStates } from './connection.ts';
import { dialogStates } from './dialogs.ts';
import { failureStates } from './failures.ts';
import { fileStates } from './files.ts';
import { formStates } from './forms.ts';
import { inboxStates } from './inbox.ts';
import { listStates } from './lists.ts';
import { menuStates } from './menus.ts';
import { onceStates } from './once.ts';
import { promptStates } from './prompts.ts';
import { returnStates } from './return.ts';
import { settledStates } from './settled.ts';
import { transcriptStates } from './transcript.ts';
import { viewStates } from './views.ts';

/** All states of the page, by topic. Add new ones to their topic. */
export const galleryStates: readonly GalleryState[] = [
  ...listStates,
  ...inboxStates,
  ...connectionStates,
  ...transcriptStates,
  ...promptStates,
  ...settledStates,
  ...formStates,
  ...fileStates,
  ...viewStates,
  ...menuStates,
  ...dialogStates,
  ...failureStates,
  ...onceStates,
  ...returnStates,
];
