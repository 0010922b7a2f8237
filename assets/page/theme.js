// The operator's colours, in both schemes; whatever the accent is, text stays readable (contrast AA).

const parse = (hex) => /^#[\da-f]{6}$/i.test(hex ?? '') ? [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) : null;
const mix = (one, other, part) => one.map((each, at) => Math.round(each * part + other[at] * (1 - part)));
const light = (rgb) => { const [r, g, b] = rgb.map((each) => { const part = each / 255; return part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
const contrast = (one, other) => { const [high, low] = [light(one), light(other)].sort((a, b) => b - a); return (high + .05) / (low + .05); };
const readable = 4.6;
const [white, black] = [[255, 255, 255], [0, 0, 0]];

/// Moves a colour towards another until it can be read on all of these grounds.
function until(rgb, towards, grounds) {
  let out = rgb;
  for (let part = 1; part > 0 && grounds.some((ground) => contrast(out, ground) < readable); part -= .05) out = mix(rgb, towards, part);
  return out;
}

const names = ['accent', 'on-accent', 'accent-soft', 'active', 'mine', 'mine-quiet', 'link'];

export function setTheme({ accent, shape }, isDark) {
  const { style, dataset } = document.documentElement;
  if (shape === 'square' || shape === 'rounded') dataset.shape = shape; else delete dataset.shape;
  const base = parse(accent);
  for (const name of names) style.removeProperty(`--${name}`);
  if (!base) return;
  const surface = isDark ? [32, 38, 35] : white;
  const ink = isDark ? [230, 235, 231] : [25, 32, 28];
  const [soft, active, mine] = (isDark ? [.2, .16, .3] : [.12, .1, .16]).map((part) => mix(base, isDark ? [23, 28, 25] : white, part));
  const main = until(base, isDark ? white : black, [surface, soft, isDark ? [15, 19, 17] : [238, 241, 238], mine]);
  const quiet = until(mix(ink, mine, .7), ink, [mine]);
  const values = { accent: main, 'on-accent': until(isDark ? mix(base, black, .2) : white, isDark ? black : white, [main]), 'accent-soft': soft, active, mine, 'mine-quiet': quiet, link: main };
  for (const name of names) style.setProperty(`--${name}`, `rgb(${values[name].join(' ')})`);
}
