/** Normalises a text for searching: ignores case and the two encodings of accents (NFC and NFD). */
export function foldText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
