/** Two images, one covering the other up to a line that a slider moves, and a button for each. */
export const comparisonPage = `<!doctype html>
<meta name="viewport" content="width=device-width">
<style>
  body { margin: 0; padding: 12px; font: 14px/20px system-ui, sans-serif; display: grid; gap: 12px; }
  figure { margin: 0; position: relative; display: grid; justify-content: center; }
  figure img { grid-area: 1 / 1; max-inline-size: 100%; max-block-size: 320px; }
  #after { clip-path: inset(0 0 0 var(--line, 50%)); }
  input { inline-size: 100%; min-block-size: 32px; margin: 0; accent-color: light-dark(#1d5f5a, #7fd1c6); }
  div { display: flex; flex-wrap: wrap; gap: 8px; justify-content: center; }
  button { font: inherit; color: inherit; background: none; min-block-size: 36px; padding: 0 12px; border: 1px solid #8888; border-radius: 8px; }
  button[aria-pressed='true'] { border-color: currentColor; box-shadow: inset 0 0 0 1px currentColor; font-weight: 600; }
  @media (pointer: coarse) { input, button { min-block-size: 44px; } }
</style>
<figure><img id="before"><img id="after"></figure>
<input id="line" type="range" max="100" value="50" aria-label="How much of the first image is shown">
<div id="choices"></div>
<script>
  const find = (id) => document.getElementById(id);
  const make = (choice, label) => {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: label });
    button.addEventListener('click', () => parley.propose({ choice }));
    find('choices').append(button);
    return button;
  };
  let buttons;
  new ResizeObserver(() => parley.resize(document.body.offsetHeight)).observe(document.body);
  parley.onShow(({ data, values, isDisabled }) => {
    if (!buttons) {
      for (const id of ['before', 'after']) {
        Object.assign(find(id), { alt: data[id].label, src: data[id].image });
      }
      buttons = { before: make('before', data.before.label), after: make('after', data.after.label) };
    }
    for (const [choice, button] of Object.entries(buttons)) {
      button.disabled = isDisabled;
      button.setAttribute('aria-pressed', String(values.choice === choice));
    }
  });
  find('line').addEventListener('input', ({ target }) => find('after').style.setProperty('--line', target.value + '%'));
</script>
`;
