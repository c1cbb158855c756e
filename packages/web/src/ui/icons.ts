import { svg, type TemplateResult } from 'lit';

/** Draws an icon. One that a single, later part of the page uses is drawn there, so that the first load leaves it out. */
export const icon = (path: string): TemplateResult =>
  svg`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d=${path} /></svg>`;

export const icons = {
  right: icon('M9 6l6 6-6 6'),
  dash: icon('M7 12h10'),
  wrap: icon('M4 6h16M4 12h13a3 3 0 0 1 0 6h-4M15 15l-2.5 3L15 21M4 18h5'),
  search: icon('M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13zM15.3 15.3L20 20'),
  back: icon('M15 5l-7 7 7 7'),
  save: icon('M12 4v11M7 11l5 5 5-5M5 20h14'),
  check: icon('M5 12.5l4.5 4.5L19 7.5'),
  cross: icon('M6 6l12 12M18 6L6 18'),
  more: icon(
    'M5 11.3a.7.7 0 1 0 0 1.4.7.7 0 0 0 0-1.4zM12 11.3a.7.7 0 1 0 0 1.4.7.7 0 0 0 0-1.4zM19 11.3a.7.7 0 1 0 0 1.4.7.7 0 0 0 0-1.4z',
  ),
  plus: icon('M12 5v14M5 12h14'),
  send: icon('M12 19V5M6 11l6-6 6 6'),
  stop: icon('M5 5h14v14H5z'),
  popOut: icon('M14 4h6v6M20 4l-8 8M18 14v6H4V6h6'),
  pencil: icon('M4 20l1-4L16 5l3 3L8 19zM14 7l3 3'),
  bin: icon('M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10 11v5M14 11v5'),
  moon: icon('M20 14a8 8 0 0 1-10-10 8 8 0 1 0 10 10z'),
  sun: icon(
    'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6l1.4 1.4M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4',
  ),
  logOut: icon('M10 5H5v14h5M15 8l4 4-4 4M19 12H9'),
  help: icon(
    'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17zM9.7 9.5a2.4 2.4 0 1 1 3.3 2.3c-.7.3-1 .8-1 1.6M12 16.4v.1',
  ),
  shield: icon('M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z'),
  form: icon('M5 4h14v16H5zM9 9h6M9 13h6M9 17h3'),
  bell: icon('M6 16V11a6 6 0 0 1 12 0v5l1.5 2H4.5zM10 20.5a2.2 2.2 0 0 0 4 0'),
  note: icon('M5 5h14v11h-8l-4 4v-4H5z'),
  talk: icon('M4 4h12v9H9l-3 3v-3H4zM18.5 9H20v8h-2v3l-3-3h-4'),
  undo: icon('M9 7L4 12l5 5M4 12h11a5 5 0 0 1 0 10h-3'),
  chevron: icon('M7 10l5 5 5-5'),
  down: icon('M12 5v14M6 13l6 6 6-6'),
  pin: icon('M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v5'),
  box: icon('M4 5h16v4H4zM5.5 9v10h13V9M10 13h4'),
  person: icon('M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c.6-3.6 3.6-5.5 7.5-5.5s6.9 1.9 7.5 5.5'),
  people: icon(
    'M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 19c0-3 2.5-5 6-5s6 2 6 5M16 5a3 3 0 0 1 0 6M17.5 14.3c2 .7 3.5 2.4 3.5 4.7',
  ),
} as const;
