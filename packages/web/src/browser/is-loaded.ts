/** Waits for a part of the page that is loaded on first use. @returns whether it could be loaded: the server may be gone */
export function isLoaded(part: Promise<unknown>): Promise<boolean> {
  return part.then(
    () => true,
    () => false,
  );
}
