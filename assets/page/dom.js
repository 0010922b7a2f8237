// Elements, menus, dialogs and toasts. What people wrote only ever becomes text nodes.

const drawings = {
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M20 20l-4-4',
  plus: 'M12 5v14M5 12h14', close: 'M6 6l12 12M18 6L6 18', back: 'M15 5l-7 7 7 7', next: 'M9 5l7 7-7 7', blank: '', down: 'M6 9l6 6 6-6', up: 'M6 15l6-6 6 6',
  more: 'M5.5 12a.5.5 0 1 1-1 0 .5.5 0 0 1 1 0M12.5 12a.5.5 0 1 1-1 0 .5.5 0 0 1 1 0M19.5 12a.5.5 0 1 1-1 0 .5.5 0 0 1 1 0', send: 'M12 19V6M6 11l6-6 6 6', check: 'M5 13l4 4L19 7',
  read: 'M2 13l4 4 9-9M10 15l2 2 10-10', clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4l3 2',
  warn: 'M12 4l9 16H3zM12 10v4M12 17h.01', pin: 'M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v5', bell: 'M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  silent: 'M6 16v-5a6 6 0 0 1 8-5.6M18 11v5l2 2H8M10 21h4M4 4l16 16', reply: 'M10 6L4 12l6 6M4 12h9a7 7 0 0 1 7 7',
  forward: 'M14 6l6 6-6 6M20 12h-9a7 7 0 0 0-7 7', edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3', undo: 'M4 9h10a6 6 0 0 1 0 12H8M8 5L4 9l4 4',
  bin: 'M5 7h14M10 11v6M14 11v6M6 7l1 13h10l1-13M9 7V4h6v3', smile: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M9 10h.01M15 10h.01M8.5 14a4 4 0 0 0 7 0',
  file: 'M7 3h7l5 5v13H7zM14 3v5h5',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15 9h.01', play: 'M8 5l11 7-11 7z', pause: 'M8 5v14M16 5v14', save: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  group: 'M9 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M3 19a6 6 0 0 1 12 0M16 5a3 3 0 0 1 0 6M18 14a6 6 0 0 1 3 5', person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 20a8 8 0 0 1 16 0',
  gear: 'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1',
  out: 'M14 4H5v16h9M10 12h10M17 8l4 4-4 4', crown: 'M5 17L3 8l5 4 4-7 4 7 5-4-2 9zM5 20h14', chat: 'M4 5h16v11H10l-5 4v-4H4z', copy: 'M8 8h11v12H8zM5 16V4h11', info: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 11v5M12 8h.01',
  voice: 'M12 4a3 3 0 0 0-3 3v4a3 3 0 0 0 6 0V7a3 3 0 0 0-3-3M6 11a6 6 0 0 0 12 0M12 17v3', camera: 'M4 8h4l2-3h4l2 3h4v11H4zM12 10.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6', speaker: 'M5 10v4h3l4 4V6l-4 4zM16 9a4 4 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  place: 'M12 21s7-6 7-11a7 7 0 0 0-14 0c0 5 7 11 7 11M12 8a2 2 0 1 0 0 4 2 2 0 0 0 0-4', again: 'M20 5v5h-5M4 19v-5h5M19 10a7 7 0 0 0-13-2M5 14a7 7 0 0 0 13 2',
};

export function icon(name) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', drawings[name]);
  svg.append(path);
  return svg;
}

/// An element with attributes, listeners (on...) and children; strings become text, null and false nothing. A button submits only where it says so.
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  if (tag === 'button') element.type = 'button';
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else if (name === 'value' || name === 'checked') element[name] = value;
    else if (name === 'hue') element.style.setProperty('--hue', value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const tool = (name, label, onclick, more = {}) =>
  h('button', { class: 'tool', 'aria-label': label, title: label, onclick, ...more }, icon(name));

/// Says something to a screen reader.
export function say(text) {
  const live = document.getElementById('live');
  live.textContent = '';
  setTimeout(() => { live.textContent = text; }, 60);
}

export function toast(text, action, seconds = 5) {
  const item = h('div', { class: 'toast' }, h('span', {}, text));
  if (action) item.append(h('button', { class: 'plain', onclick: () => { item.remove(); action.run(); } }, action.label));
  // A modal dialog covers everything that is not inside of it; when it closes, what it shows stays for its time.
  const places = [...document.querySelectorAll('.toasts')];
  (places.at(-1) ?? document.body).append(item);
  setTimeout(() => item.remove(), seconds * 1000);
}

let openMenu = null;
export const closeMenu = () => openMenu?.();

/// A menu at an element or a point. `items`: {icon, label, run, danger, isOn (one of several that stand for a choice)}, 'line', or an element of one's own.
export function menu(anchor, items, label) {
  closeMenu();
  const before = document.activeElement;
  const box = h('div', { class: 'menu', role: 'menu', 'aria-label': label });
  const shut = () => {
    if (openMenu !== shut) return;
    openMenu = null;
    box.remove();
    document.removeEventListener('pointerdown', outside, true);
    removeEventListener('resize', shut);
    anchor.setAttribute?.('aria-expanded', 'false');
    if (document.activeElement === document.body || document.activeElement === null) before?.focus?.({ preventScroll: true });
  };
  const outside = (event) => { if (!box.contains(event.target)) shut(); };
  for (const item of items) {
    if (!item) continue;
    if (item === 'line') box.append(h('hr', { role: 'separator' }));
    else if (item instanceof Node) box.append(item);
    else box.append(h('button', { role: item.isOn === undefined ? 'menuitem' : 'menuitemradio', 'aria-checked': item.isOn === undefined ? null : String(item.isOn), class: `item${item.danger ? ' danger' : ''}`, onclick: () => { before?.focus?.({ preventScroll: true }); shut(); item.run(); } }, item.icon && icon(item.icon), item.label));
  }
  box.addEventListener('keydown', (event) => {
    const all = [...box.querySelectorAll('button')];
    const at = all.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (step) { event.preventDefault(); all[(at + step + all.length) % all.length]?.focus(); }
    else if (event.key === 'Home' || event.key === 'End') { event.preventDefault(); all.at(event.key === 'Home' ? 0 : -1)?.focus(); }
    else if (event.key === 'Escape' || event.key === 'Tab') { event.preventDefault(); event.stopPropagation(); before?.focus?.({ preventScroll: true }); shut(); }
  });
  const host = [...document.querySelectorAll('dialog[open]')].pop() ?? document.querySelector('main') ?? document.body;
  host.append(box);
  const place = anchor.getBoundingClientRect ? anchor.getBoundingClientRect() : { left: anchor.x, right: anchor.x, top: anchor.y, bottom: anchor.y };
  const [width, height] = [box.offsetWidth, box.offsetHeight];
  let left = place.left + width > innerWidth - 8 ? place.right - width : place.left;
  let top = place.bottom + 4 + height > innerHeight - 8 ? place.top - height - 4 : place.bottom + 4;
  left = Math.max(8, Math.min(left, innerWidth - width - 8));
  top = Math.max(8, Math.min(top, innerHeight - height - 8));
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
  anchor.setAttribute?.('aria-expanded', 'true');
  openMenu = shut;
  document.addEventListener('pointerdown', outside, true);
  addEventListener('resize', shut);
  box.querySelector('button')?.focus({ preventScroll: true });
  return shut;
}

/// A modal dialog; it is gone when it is closed. `build(close)` makes its parts.
export function dialog(title, closeLabel, build, kind = '') {
  closeMenu();
  const before = document.activeElement;
  const box = h('dialog', { class: kind, 'aria-label': title });
  const close = () => { if (box.open) box.close(); };
  box.append(h('header', {}, h('h2', { class: 'grow cut' }, title), tool('close', closeLabel, close)));
  box.append(...[build(close, box)].flat().filter(Boolean));
  const toasts = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' });
  box.append(toasts);
  box.addEventListener('close', () => {
    box.remove();
    [...document.querySelectorAll('.toasts')].at(-1)?.append(...toasts.childNodes);
    before?.focus?.({ preventScroll: true });
  });
  box.addEventListener('click', (event) => { if (event.target === box) close(); });
  document.body.append(box);
  box.showModal();
  return { box, close };
}

/// Closes every dialog: what comes next is behind them.
export const closeDialogs = () => { for (const each of [...document.querySelectorAll('dialog[open]')].reverse()) each.close(); };

/// A question with two answers; resolves to true or false.
export function ask(title, text, yes, no, isDanger) {
  return new Promise((resolve) => {
    let answer = false;
    const { box } = dialog(title, no, (close) => [
      h('div', { class: 'body' }, h('p', {}, text)),
      h('footer', {}, h('button', { class: 'button', onclick: close }, no),
        h('button', { class: `button ${isDanger ? 'danger' : 'primary'}`, onclick: () => { answer = true; close(); } }, yes)),
    ], 'short');
    box.addEventListener('close', () => resolve(answer));
  });
}

/// Runs something once calls have stopped for a while.
export function later(milliseconds, run) {
  let timer;
  const start = (...values) => { clearTimeout(timer); timer = setTimeout(() => run(...values), milliseconds); };
  start.stop = () => clearTimeout(timer);
  return start;
}

export const hue = (text) => {
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return hash % 360;
};

/// The last character of a Chinese name, as people are called; otherwise the first letters of the first and last word.
export function letters(name) {
  const words = name.trim().split(/\s+/u);
  const [first, last] = [[...words[0]][0], [...words.at(-1)].at(-1)];
  if (!first) return '?';
  if (/\p{Script=Han}/u.test(last)) return last;
  return (words.length > 1 ? first + [...words.at(-1)][0] : first).toUpperCase();
}
