/** Announces words to screen-reader users. If `words` come from others, hidden characters are made visible. */
export function announce(words: string): void {
  const { ariaNotify } = document as Document & { ariaNotify?(words: string): void };
  if (ariaNotify) ariaNotify.call(document, words);
  else findRegion().textContent = words;
}

/** Returns a live region, for browsers without `ariaNotify`. */
function findRegion(): Element {
  const known = document.querySelector('body > .untrusted[role="status"]');
  if (known) return known;
  const region = document.createElement('p');
  region.className = 'untrusted';
  region.role = 'status';
  region.style.cssText = 'position: fixed; margin: 0; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)';
  document.body.append(region);
  return region;
}
