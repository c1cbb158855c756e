import { findFocus } from './elements.ts';
import { findFocusFaults } from './focus.ts';
import { findLostMarks, listMarks } from './forced-colours.ts';
import { findLayoutFaults } from './layout.ts';
import { findNameFaults } from './names.ts';
import { findViolations } from './violations.ts';

let marks: ReturnType<typeof listMarks> = [];

const say = (where: string, faults: readonly string[]) => faults.map((fault) => `${where}: ${fault}`);

/** Checks that every state must pass; each returns what is wrong. */
export const proofs = {
  /** Checks the page as it is, and right-to-left. */
  async check(): Promise<readonly string[]> {
    marks = listMarks();
    const faults = [...findLayoutFaults(), ...findNameFaults()];
    return [...faults, ...(await findFocusFaults()), ...checkRightToLeft()];
  },

  findViolations: (): Promise<readonly string[]> => findViolations(),

  /** Checks what another colour scheme can break: the contrast of text, and the sign of the focus. */
  checkColours: async (where: string): Promise<readonly string[]> =>
    say(where, [...(await findViolations(['color-contrast'])), ...(await findFocusFaults())]),

  /** Checks another size: nothing may be clipped or covered there. */
  checkSize: async (where: string): Promise<readonly string[]> =>
    say(where, [...findLayoutFaults(), ...(await findFocusFaults())]),

  /** Checks forced colours; needs `check` before. */
  checkForcedColours: async (): Promise<readonly string[]> =>
    say('forced colours', [...findLostMarks(marks), ...findLayoutFaults(), ...(await findFocusFaults())]),

  isFocusNowhere: (): boolean => findFocus() === document.body,
};

function checkRightToLeft(): readonly string[] {
  document.documentElement.dir = 'rtl';
  const faults = findLayoutFaults();
  document.documentElement.removeAttribute('dir');
  return say('right to left', faults);
}
