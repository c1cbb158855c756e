import { galleryStates } from './states/index.ts';

const [nav, widths, frame] = ['nav', '.widths', 'iframe'].map((selector) => document.querySelector(selector));

/** Shows the state in the fragment of the address. */
function show(): void {
  const name = decodeURIComponent(location.hash.slice(1)) || (galleryStates[0]?.name ?? '');
  frame?.setAttribute('src', `page.html?state=${encodeURIComponent(name)}`);
  for (const link of nav?.children ?? []) link.setAttribute('aria-current', String(link.textContent === name));
}

for (const { name } of galleryStates) {
  const link = Object.assign(document.createElement('a'), { textContent: name, href: `#${encodeURIComponent(name)}` });
  nav?.append(link);
}
for (const width of ['390', '820', '1440']) {
  const button = Object.assign(document.createElement('button'), { textContent: `${width} px` });
  button.addEventListener('click', () => frame?.setAttribute('width', width));
  widths?.append(button);
}
frame?.setAttribute('width', '1440');
addEventListener('hashchange', show);
show();
