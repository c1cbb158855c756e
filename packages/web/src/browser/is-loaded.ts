/**
 * Waits for a part of the page that is loaded on first use. @returns false if it could not be loaded, as when the server is down
 */
export function isLoaded(part: Promise<unknown>): Promise<boolean> {
  return part.then(
    () => true,
    () => false,
  );
}
