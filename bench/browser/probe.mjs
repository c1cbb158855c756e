// Runs in the page before anything else, and measures the delays that a reader notices.

/** Returns the matching elements, including those in shadow trees. */
function findAll(selector, root = document) {
  const inside = [...root.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
    shadowRoot ? findAll(selector, shadowRoot) : [],
  );
  return [...root.querySelectorAll(selector), ...inside];
}

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Finds an element once it exists, and caches it, so that later measurements do not include the search. */
async function find(selector) {
  for (;;) {
    const [found] = findAll(selector);
    if (found) return found;
    await nextFrame();
  }
}

const delays = [];
new PerformanceObserver((list) => {
  for (const { interactionId, duration } of list.getEntries()) if (interactionId) delays.push(duration);
}).observe({ type: 'event', durationThreshold: 16 });

window.probe = {
  /** Waits for the newest `count` rows. @returns the times in ms from the navigation and from the load event */
  async awaitRows(count) {
    const scroller = await find('.scroll, #scroll');
    while (scroller.querySelectorAll('.row').length < count) await nextFrame();
    const ms = performance.now();
    return { ms, afterLoadMs: ms - performance.getEntriesByType('navigation')[0].loadEventEnd };
  },
  /** Holds Home until the row with a text exists. @returns how long that took, in ms */
  async readUp(text) {
    const scroller = await find('.scroll, #scroll');
    const begun = performance.now();
    const isThere = () => [...scroller.querySelectorAll('.row')].some((row) => row.textContent.includes(text));
    while (!isThere()) {
      scroller.scrollTop = 0;
      await nextFrame();
    }
    return performance.now() - begun;
  },
  async focusField(n) {
    (await find(`input[id$="f${n}"]`)).focus();
  },
  nextFrame,
  /** Returns the times in ms from a key to the frame that shows it, for each event that took 16 or more. */
  takeDelays: () => delays.splice(0),
};
