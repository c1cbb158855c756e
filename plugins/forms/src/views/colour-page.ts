/** A page with a palette and two sliders, which fill in the form's text field. */
export const colourPage = `<!doctype html>
<meta name="viewport" content="width=device-width">
<style>
  body { margin: 0; padding: 12px; font: 14px/20px system-ui, sans-serif; display: grid; gap: 12px; }
  #swatch { block-size: 72px; border-radius: 8px; border: 1px solid #8884; }
  label { display: grid; grid-template-columns: 7em 1fr; align-items: center; gap: 8px; }
  input { inline-size: 100%; min-block-size: 32px; margin: 0; accent-color: light-dark(#1d5f5a, #7fd1c6); }
  @media (pointer: coarse) { body { gap: 4px; } input { min-block-size: 44px; } }
</style>
<div id="swatch" role="img" aria-label="The colour"></div>
<label>Hue <input id="hue" type="range" max="359"></label>
<label>Saturation <input id="saturation" type="range" max="100"></label>
<label>Lightness <input id="lightness" type="range" max="100"></label>
<script>
  const [swatch, ...sliders] = ['swatch', 'hue', 'saturation', 'lightness'].map((id) => document.getElementById(id));
  const toHex = (h, s, l) => {
    const a = s * Math.min(l, 100 - l) / 10000;
    const part = (n) => {
      const k = (n + h / 30) % 12;
      const value = l / 100 - a * Math.max(-1, Math.min(k - 3, 9 - k, 1));
      return Math.round(255 * value).toString(16).padStart(2, '0');
    };
    return '#' + part(0) + part(8) + part(4);
  };
  const toHsl = (hex) => {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
    const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
    const [l, d] = [(most + least) / 2, most - least];
    const h = d === 0 ? 0 : most === r ? (g - b) / d % 6 : most === g ? (b - r) / d + 2 : (r - g) / d + 4;
    return [(60 * h + 360) % 360, d === 0 ? 0 : 100 * d / (1 - Math.abs(2 * l - 1)), 100 * l].map(Math.round);
  };
  let now = '';
  const draw = (colour) => {
    now = colour;
    swatch.style.background = colour;
    swatch.setAttribute('aria-label', 'The colour ' + colour);
  };
  parley.onShow(({ values, isDisabled }) => {
    const colour = values.colour ?? '';
    for (const slider of sliders) slider.disabled = isDisabled;
    if (!/^#[0-9a-f]{6}$/i.test(colour) || colour === now) return;
    draw(colour);
    toHsl(colour).forEach((value, n) => { sliders[n].value = value; });
  });
  for (const slider of sliders) {
    slider.addEventListener('input', () => {
      draw(toHex(...sliders.map(({ value }) => Number(value))));
      parley.propose({ colour: now });
    });
  }
  new ResizeObserver(() => parley.resize(document.body.offsetHeight)).observe(document.body);
</script>
`;
