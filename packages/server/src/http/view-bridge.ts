/**
 * Script that defines `parley` (`ParleyView` in core) in the page of a view, before its own scripts run. It is a text because it
 * runs in a browser. It sends only messages that the surrounding page validates, and accepts only messages from that page. Keep
 * it in step with `readViewMessage`. It also removes the WebRTC and WebTransport constructors, which not every browser's policy
 * blocks; this is only a hurdle, because a nested frame has its own.
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
