import type { ParleyClient } from '@parleyhq/client';

/** How long after the last input a visible page still counts as looked at, in ms. */
const idleMs = 60_000;

const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** Reports to the server while this page is visible and in use, so that the person's other devices stay quiet (NTF1). */
export function watchAttention(client: Pick<ParleyClient, 'setLooking'>, signal?: AbortSignal): void {
  let idle: ReturnType<typeof setTimeout> | undefined;
  let usedAt = Number.NEGATIVE_INFINITY;
  const settle = () => {
    clearTimeout(idle);
    const leftMs = usedAt + idleMs - performance.now();
    const isLooking = !document.hidden && leftMs > 0;
    client.setLooking(isLooking);
    if (isLooking) idle = setTimeout(settle, leftMs);
  };
  const use = () => {
    const isFresh = performance.now() - usedAt < 1000; // a pointer moves a hundred times a second
    usedAt = performance.now();
    if (!isFresh) settle();
  };
  const options = { passive: true, capture: true, ...(signal && { signal }) };
  for (const sign of signs) addEventListener(sign, use, options);
  document.addEventListener('visibilitychange', () => (document.hidden ? settle() : use()), options);
  signal?.addEventListener('abort', () => clearTimeout(idle));
  if (!document.hidden) use();
}
