/**
 * Gives the page of a view `parley` (`ParleyView` in core), before its own scripts run. A text, for it runs in a browser: it says only
 * what the page around checks, and hears only that page. Keep it in step with `readViewMessage`.
 * Connections that no policy of every browser forbids are taken away, for what that is worth: a frame in the frame has its own.
 */
export const viewBridge = `(() => {
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) delete globalThis[name];
  let content;
  const shows = [];
  const say = (message) => parent.postMessage(message, '*');
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || !data || data.type !== 'show') return;
    content = data.content;
    document.documentElement.style.colorScheme = content.theme;
    document.documentElement.dataset.theme = content.theme;
    for (const show of shows) show(content);
  });
  Object.defineProperty(globalThis, 'parley', {
    value: Object.freeze({
      onShow(show) {
        shows.push(show);
        if (content) show(content);
        else say({ type: 'ready' });
      },
      propose: (values) => say({ type: 'propose', values }),
      resize: (height) => say({ type: 'resize', height }),
    }),
  });
})();`;
