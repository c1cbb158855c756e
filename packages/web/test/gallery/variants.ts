import type { BrowserContextOptions } from 'playwright-core';

/** How the page is looked at. */
export interface Variant {
  readonly width: 390 | 820 | 1440;
  readonly scheme: 'light' | 'dark';
}

const heights = { 390: 720, 820: 760, 1440: 760 } as const;

/** Those whose pictures are accepted: on both sides of the breakpoint at 48rem, for fingers and for a mouse, in both schemes. */
export const pictured = {
  phone: { width: 390, scheme: 'dark' },
  tablet: { width: 820, scheme: 'light' },
  desk: { width: 1440, scheme: 'light' },
} as const satisfies Record<string, Variant>;

export const nameVariant = ({ width, scheme }: Variant): string => `${width}-${scheme}`;

/** A narrow page is a phone's and a wider one a tablet's, to be touched. Nothing moves, and everything is written as in one place of the world. */
export function contextOf({ width, scheme }: Variant): BrowserContextOptions {
  return {
    viewport: { width, height: heights[width] },
    colorScheme: scheme,
    hasTouch: width < 1440,
    isMobile: width === 390,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'UTC',
  };
}
