import type { BrowserContextOptions } from 'playwright-core';

/** A size and colour scheme of the page. */
export interface Variant {
  readonly width: 390 | 820 | 1440;
  readonly scheme: 'light' | 'dark';
}

const heights = { 390: 720, 820: 760, 1440: 760 } as const;

/** The variants with accepted pictures: on both sides of the breakpoint at 48rem, for touch and for a mouse, in both schemes. */
export const pictured = {
  phone: { width: 390, scheme: 'dark' },
  tablet: { width: 820, scheme: 'light' },
  desk: { width: 1440, scheme: 'light' },
} as const satisfies Record<string, Variant>;

export const nameVariant = ({ width, scheme }: Variant): string => `${width}-${scheme}`;

/**
 * Returns the browser options of a variant. Narrow pages are phones and medium ones tablets, with touch. Motion is reduced, and
 * locale and time zone are fixed.
 */
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
