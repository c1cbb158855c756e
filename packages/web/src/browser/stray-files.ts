// Keeps the page when files are dropped where nothing takes them: the browser would open them instead.
addEventListener('dragover', swallow);
addEventListener('drop', swallow);

function swallow(event: DragEvent): void {
  const { dataTransfer } = event;
  const isTaken = event.defaultPrevented || event.composedPath().some(isFileInput);
  if (isTaken || !dataTransfer?.types.includes('Files')) return;
  event.preventDefault();
  dataTransfer.dropEffect = 'none';
}

function isFileInput(target: EventTarget): boolean {
  return target instanceof HTMLInputElement && target.type === 'file';
}
