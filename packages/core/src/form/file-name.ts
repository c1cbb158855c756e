/** Limit in characters. */
const maxNameLength = 200;

const hiddenCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Makes a safe file name: the last part of the path, without invisible characters, shortened but with its extension if too long
 * (SEC5).
 */
export function cleanFileName(given: string): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  const seen = last
    .replace(hiddenCharacters, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .trim();
  const name = /^\.*$/.test(seen) ? 'file' : seen;
  const characters = [...name];
  if (characters.length <= maxNameLength) return name;
  const [ending = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(name) ?? [];
  return `${characters.slice(0, maxNameLength - ending.length - 1).join('')}…${ending}`;
}
