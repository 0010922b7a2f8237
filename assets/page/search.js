// Search: chats and messages in place of the list, with filters, and the way to a message and back.

import * as api from './api.js';
import { dialog, h, icon, later, menu } from './dom.js';
import { dayName, fullTime, moreTexts, shortTime, t } from './i18n.js';
import { digestOf, model, nameOf, on, person, readMore, sorted, titleOf } from './model.js';
import { conversationAvatar, empty, pagedList } from './parts.js';

await moreTexts();

const kinds = ['text', 'picture', 'voice', 'video', 'file', 'place', 'card', 'forwarded'];
const days = [['1', 0], ['7', 6], ['30', 29], ['365', 364]];
const mostChats = 5;
/// Characters of a search, at most.
const mostCharacters = 200;

const midnight = (daysAgo) => { const day = new Date(); day.setHours(0, 0, 0, 0); day.setDate(day.getDate() - daysAgo); return day.getTime(); };
const isSearchable = (text) => /[\p{L}\p{N}\p{S}]/u.test(text);

/// What was found, with the matches marked: offsets are UTF-16 units, as in JavaScript.
function marked(snippet, matches) {
  const out = [];
  let at = 0;
  for (let index = 0; index < matches.length; index += 1) {
    const start = Math.max(at, matches[index][0]);
    let end = matches[index][0] + matches[index][1];
    // What touches is one.
    while (matches[index + 1]?.[0] <= end) { index += 1; end = Math.max(end, matches[index][0] + matches[index][1]); }
    if (end <= start) continue;
    out.push(snippet.slice(at, start), h('mark', {}, snippet.slice(start, end)));
    at = end;
  }
  return [...out, snippet.slice(at)];
}

/// `filter` is the field above the list; while something is searched the panel stands in place of `list.box`.
export function searchPanel(app, { filter, list }) {
  const chosen = { scope: null, sender: null, kind: null, time: null };
  const chips = h('div', { class: 'filters', role: 'group', 'aria-label': t('search.filters') });
  const note = h('p', { class: 'hint', role: 'status', hidden: true });
  const chats = h('div', {});
  const chatsPart = h('section', { hidden: true }, h('h3', {}, t('search.chats')), chats);
  const hits = h('div', {});
  const hitsPart = h('section', {}, h('h3', {}, t('search.messages')), note, hits);
  const panel = h('div', { class: 'list found', hidden: true, role: 'region', 'aria-label': t('search.results') }, chips, chatsPart, hitsPart);
  list.box.after(panel);

  const text = () => filter.value.trim().slice(0, mostCharacters);
  const hasFilter = () => Object.values(chosen).some(Boolean);
  const isAsked = () => isSearchable(text()) || ((chosen.sender || chosen.kind) && !text());

  const chip = (label, isSet, run, clear) => {
    const button = h('button', { class: 'chip', 'aria-pressed': String(isSet), 'aria-haspopup': isSet ? null : 'menu', onclick: () => (isSet ? clear() : run(button)) },
      h('span', { class: 'cut' }, label), icon(isSet ? 'close' : 'down'));
    return button;
  };
  const set = (name, value) => { chosen[name] = value; draw(); };
  const drawChips = () => {
    const at = chips.contains(document.activeElement) ? [...chips.children].indexOf(document.activeElement) : -1;
    const scope = chosen.scope ?? app.current;
    chips.replaceChildren(...[
      scope && model.conversations.has(scope) && h('button', { class: 'chip', 'aria-pressed': String(Boolean(chosen.scope)), onclick: () => set('scope', chosen.scope ? null : app.current) },
        h('span', { class: 'cut' }, chosen.scope ? t('search.in', { title: titleOf(model.conversations.get(scope)) }) : t('search.here')), chosen.scope && icon('close')),
      chip(chosen.sender ? t('search.from', { who: nameOf(person(chosen.sender)) }) : t('search.sender'), Boolean(chosen.sender), chooseSender, () => set('sender', null)),
      chip(chosen.kind ? t(`search.kind.${chosen.kind}`) : t('search.kind'), Boolean(chosen.kind), (button) => menu(button, kinds.map((kind) => ({ label: t(`search.kind.${kind}`), run: () => set('kind', kind) })), t('search.kind')), () => set('kind', null)),
      chip(chosen.time ? chosen.time.label : t('search.time'), Boolean(chosen.time), (button) => menu(button, [
        ...days.map(([name, ago]) => ({ label: t(`search.days.${name}`), run: () => set('time', { from: midnight(ago), label: t(`search.days.${name}`) }) })),
        'line', { label: t('search.days.choose'), run: chooseDays },
      ], t('search.time')), () => set('time', null)),
    ].filter(Boolean));
    chips.children[at]?.focus();
  };
  const chooseSender = async () => (await import('./select.js')).choose({ title: t('search.sender'), sections: ['people', 'friends'], run: async ([one]) => set('sender', one.id) });
  const chooseDays = () => dialog(t('search.days.choose'), t('close'), (close) => {
    const field = (id, label) => h('div', { class: 'field' }, h('label', { for: id }, label), h('input', { id, class: 'input', type: 'date', max: new Date().toLocaleDateString('sv') }));
    const form = h('form', { class: 'body' }, field('day-from', t('search.days.from')), field('day-to', t('search.days.to')), h('button', { type: 'submit', class: 'button primary' }, t('done')));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const [first, last] = ['day-from', 'day-to'].map((id) => form.elements[id].value).map((value) => value && new Date(`${value}T00:00`));
      const [from, until] = first && last && first > last ? [last, first] : [first, last];
      const to = until && new Date(until.getFullYear(), until.getMonth(), until.getDate() + 1).getTime() - 1;
      close();
      if (from || to) set('time', { from: from ? from.getTime() : undefined, to: to || undefined, label: [from ? dayName(from.getTime()) : '', to ? dayName(to) : ''].join(' – ').trim() });
    });
    return form;
  }, 'short');

  // MARK: what was found

  const callOf = (name) => (name === model.me.name ? t('you') : nameOf(person(name)));
  const known = on('person', () => { for (const each of hits.querySelectorAll('[data-who]')) each.textContent = callOf(each.dataset.who); });

  const hit = ({ message, snippet, matches }) => {
    const conversation = model.conversations.get(message.conversation);
    // Isolated: a name may turn the direction of what stands behind it.
    const sender = h('bdi', { 'data-who': message.sender }, callOf(message.sender));
    const isOne = Boolean(chosen.scope);
    const title = isOne || !conversation ? sender : titleOf(conversation);
    const words = snippet ? marked(snippet, matches) : [digestOf(message)];
    return h('a', { class: 'entry hit', href: `#/c/${message.conversation}/${message.sequence}`, onclick: () => { app.leaving(); } },
      conversation && !isOne ? conversationAvatar(conversation, 's40') : personAvatarOf(message.sender),
      h('span', { class: 'grow' },
        h('span', { class: 'top' }, h('span', { class: 'title grow cut' }, title), h('time', { class: 'time', datetime: new Date(message.time).toISOString(), title: fullTime(message.time) }, shortTime(message.time))),
        h('span', { class: 'snippet' }, title !== sender && conversation.kind !== 'direct' && [sender, t('says', { who: '', text: '' })], message.kind !== 'text' && snippet && h('span', { class: 'quiet' }, `${t(`kind.${message.kind}`)} `), words)));
  };
  const personAvatarOf = (name) => conversationAvatar({ kind: 'direct', with: person(name) }, 's40');

  const pages = pagedList(hits, async (cursor) => {
    const page = await api.get(`search${api.query({ q: text(), conversation: chosen.scope, sender: chosen.sender, kind: chosen.kind, from: chosen.time?.from, to: chosen.time?.to, cursor, limit: 30 })}`);
    const newest = Math.max(0, ...(chosen.scope ? [model.conversations.get(chosen.scope)] : [...model.conversations.values()]).map((each) => each?.digest?.time ?? 0));
    note.hidden = newest <= page.indexedTo;
    note.textContent = page.indexedTo ? t('search.behind', { time: fullTime(page.indexedTo) }) : t('search.building');
    return page;
  }, hit, () => empty('search', t('list.nothing'), t('search.nothing')));

  let last = '';
  const ask = () => {
    const sign = JSON.stringify([text(), chosen]);
    if (sign === last) return;
    last = sign;
    note.hidden = true;
    if (isAsked()) { pages.start(); return; }
    pages.stop();
    hits.replaceChildren(text() ? empty('search', t('list.nothing'), t('search.nothing')) : h('p', { class: 'hint' }, t('search.hint')));
  };
  const soon = later(250, ask);

  const draw = () => {
    const isOpen = Boolean(text() || hasFilter());
    panel.hidden = !isOpen;
    list.box.hidden = isOpen;
    if (!isOpen) { last = ''; pages.stop(); hits.replaceChildren(); return; }
    drawChips();
    drawChats();
    soon();
  };
  const drawChats = () => {
    const words = text().toLowerCase();
    if (words) readMore(true);
    const found = words && !hasFilter() ? sorted().filter((each) => titleOf(each).toLowerCase().includes(words)).slice(0, mostChats) : [];
    chatsPart.hidden = !found.length;
    chats.replaceChildren(...found.map((each) => list.entry(each)));
  };
  // What was read of the list since may be what is looked for.
  const listed = on('list', later(300, () => { if (!panel.hidden && !chats.contains(document.activeElement)) drawChats(); }));

  panel.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !event.target.closest('a, .filters')) return;
    event.preventDefault();
    event.stopPropagation();
    const all = [...panel.querySelectorAll('a.entry')];
    const next = all[all.indexOf(event.target.closest('a')) + step];
    if (next) next.focus(); else if (step < 0) filter.focus();
  }, true);

  return {
    draw,
    /// Opens the panel for one conversation.
    within(id) { chosen.scope = id; draw(); filter.focus(); },
    /// The first thing that was found takes the focus.
    enter() { panel.querySelector('a.entry')?.focus(); },
    get isOpen() { return !panel.hidden; },
    end() { filter.value = ''; for (const name of Object.keys(chosen)) chosen[name] = null; draw(); },
    stop() { known(); listed(); soon.stop(); pages.stop(); panel.remove(); },
  };
}
