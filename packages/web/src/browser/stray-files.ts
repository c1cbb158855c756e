/** Keeps the page when files are dropped where nothing takes them: the browser would open them instead. */
export function swallowStrayFiles(target: EventTarget, signal: AbortSignal): void {
  const swallow = (event: Event) => {
    const { dataTransfer } = event as DragEvent;
    const isTaken = event.defaultPrevented || event.composedPath().some(isFileInput);
    if (isTaken || !dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    dataTransfer.dropEffect = 'none';
  };
  target.addEventListener('dragover', swallow, { signal });
  target.addEventListener('drop', swallow, { signal });
}

function isFileInput(target: EventTarget): boolean {
  return target instanceof HTMLInputElement && target.type === 'file';
}
