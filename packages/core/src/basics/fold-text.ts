/** A text as searches compare it: without case, and the same for one way to write an accent as for the other (NFC and NFD). */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
