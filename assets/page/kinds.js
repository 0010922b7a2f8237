// Kinds of messages that apps define, drawn by what was registered for them: title, fields, a picture, a link.

import * as api from './api.js';
import { h } from './dom.js';
import { moreTexts, t } from './i18n.js';
import { model } from './model.js';

await moreTexts();

const mostCharacters = 500;
const mostFields = 12;
let asked = null;
let askedFor = null;

function registered() {
  if (askedFor !== model.me) {
    askedFor = model.me;
    asked = api.get('kinds').then(({ items }) => new Map(items.map((each) => [String(each.kind), each])), () => { askedFor = null; return new Map(); });
  }
  return asked;
}

/// A value by its dotted path, as text; `null` for what is no text, number or switch.
function valueAt(attributes, path) {
  let value = attributes;
  for (const name of String(path ?? '').split('.')) value = value !== null && typeof value === 'object' && Object.hasOwn(value, name) ? value[name] : undefined;
  if (typeof value === 'boolean') return t(value ? 'yes' : 'no.no');
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, mostCharacters) || null : null;
}

/// An address that may be opened, without a name and password in it; `null` for every other.
export function webAddress(text) {
  try {
    const url = new URL(text);
    return (url.protocol === 'https:' || url.protocol === 'http:') && !url.username && !url.password ? url : null;
  } catch { return null; }
}

/// True for a file of this server: no other server learns who reads a message.
const isOwnFile = (path) => api.isOwn(path) && /^\/(api\/v1\/files|f)\/[\w./~%-]+$/.test(path) && !path.includes('..');

/// Fills `box`, which shows the `degrade` text meanwhile, if the kind was registered with a renderer.
export async function drawCustom(box, custom, whenSized) {
  const kind = (await registered()).get(String(custom.kind));
  const renderer = kind?.renderer;
  const degrade = custom.degrade ?? kind?.degrade;
  if (!renderer) { if (kind?.name) box.firstChild.textContent = `[${kind.name}]`; if (degrade) box.lastChild.textContent = degrade; return; }
  const attributes = custom.attributes ?? {};
  const title = valueAt(attributes, renderer.title);
  const fields = (renderer.fields ?? []).slice(0, mostFields).map(({ label, path }) => [label, valueAt(attributes, path)]).filter(([, value]) => value !== null);
  const link = renderer.link && webAddress(valueAt(attributes, renderer.link));
  const picture = renderer.picture && valueAt(attributes, renderer.picture);
  if (!title && !fields.length && !link && !isOwnFile(picture)) return;
  const parts = [h('span', { class: 'kind' }, kind.name || t('kind.custom')), title && h('strong', {}, title)];
  if (isOwnFile(picture)) {
    const frame = h('span', { class: 'shot' });
    parts.push(frame);
    api.content(picture).then((url) => { const image = h('img', { src: url, alt: title ?? '' }); image.addEventListener('load', whenSized); image.addEventListener('error', () => frame.remove()); frame.append(image); }, () => frame.remove());
  }
  if (fields.length) parts.push(h('dl', {}, fields.flatMap(([label, value]) => [h('dt', {}, String(label ?? '')), h('dd', {}, value)])));
  if (!title && !fields.length) parts.push(h('span', {}, degrade));
  if (link) parts.push(h('a', { class: 'ui', href: link.href, target: '_blank', rel: 'noopener noreferrer nofollow' }, t('kind.open', { host: link.host })));
  box.replaceChildren(...parts.filter(Boolean));
  whenSized();
}
