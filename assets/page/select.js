// The contact selector: people, groups, friends, members and one's own lists; one of them or several.

import * as api from './api.js';
import { ask, dialog, h, icon, later, toast } from './dom.js';
import { moreTexts, t } from './i18n.js';
import { learn, model, nameOf, newToken, person, send, sorted, systemName, takeConversation, titleOf } from './model.js';
import { avatar, busy, conversationAvatar, empty, mayNot, personAvatar, spinner } from './parts.js';

await moreTexts();

const pageSize = 100;
const mostPagesOfJump = 60;
const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '#'];

const ofPerson = (user, group) => ({ key: `person:${user.name}`, kind: 'person', id: user.name, label: nameOf(user), user, group });
const ofConversation = (value, group) => value.kind === 'direct' && value.with
  ? { ...ofPerson(model.people.get(value.with.name) ?? value.with, group), conversation: value }
  : { key: `conversation:${value.id}`, kind: 'conversation', id: value.id, label: value.title || t('conversation.untitled'), conversation: value, group };
const ofContact = (contact) => {
  if (contact.kind !== 'person') return ofConversation({ ...contact.conversation, title: contact.name }, contact.group);
  const user = contact.user ?? { name: contact.id, displayName: contact.name };
  if (user.version !== undefined) learn(user);
  return { ...ofPerson(model.people.get(user.name) ?? user, contact.group), list: contact.list };
};

/// Opens the selector. `options`: title, do (text of the button), sections ('recent', 'people', 'teams', 'friends', 'members',
/// 'lists'), conversation (whose members), isMany, maximum, chosen (entries), without (keys never shown), why(entry) (the reason why it
/// cannot be chosen), known (a promise, after which the reasons are asked for again), extra (an element above), run(entries), which
/// answers false to go on choosing.
export function choose(options) {
  const { isMany, sections } = options;
  const maximum = isMany ? options.maximum ?? 0 : 1;
  const chosen = new Map((options.chosen ?? []).map((each) => [each.key, each]));
  const without = new Set([...options.without ?? [], `person:${systemName}`]);
  const states = new Map(sections.map((name) => [name, { items: [], next: undefined }]));
  let current = sections[0];
  let wasEmpty = null;
  let turns = 0;
  let failure = null;
  let isLoading = false;
  let isJumping = false;
  let cell = null;

  dialog(options.title, t('cancel'), (close, box) => {
    box.classList.add('selector');
    const filter = h('input', { class: 'input', type: 'search', placeholder: t('select.filter'), 'aria-label': t('select.filter'), autocomplete: 'off', maxlength: '64' });
    const tabs = h('div', { class: 'segments', role: 'radiogroup', 'aria-label': t('select.from'), hidden: sections.length < 2 });
    const tray = h('div', { class: 'chosen', role: 'group', 'aria-label': t('select.chosen'), hidden: true });
    const list = h('div', { class: 'pick', role: 'listbox', 'aria-label': options.title, 'aria-multiselectable': isMany ? 'true' : null, tabindex: '-1' });
    const rail = h('div', { class: 'rail', role: 'group', 'aria-label': t('select.letters'), hidden: true });
    const state = h('div', { class: 'pick-state', role: 'status' });
    const problem = h('p', { class: 'error ui', role: 'alert', hidden: true });
    const count = h('span', { class: 'grow ui quiet', role: 'status' });
    const act = h('button', { class: 'button primary' }, options.do ?? t('done'));

    const finish = () => busy(act, async () => {
      problem.hidden = true;
      try { if (await options.run([...chosen.values()]) !== false) close(); else if (!isMany) { chosen.clear(); mark(); } } catch (error) {
        problem.textContent = error.message;
        problem.hidden = false;
        if (!isMany) { chosen.clear(); mark(); }
      }
    });
    act.addEventListener('click', finish);

    // MARK: choosing

    const mark = () => {
      for (const row of list.querySelectorAll('[role=option]')) row.setAttribute('aria-selected', String(chosen.has(row.entry.key)));
      if (!isMany) return;
      tray.hidden = !chosen.size;
      tray.replaceChildren(...[...chosen.values()].map((each) => h('button', { 'aria-label': t('select.remove', { name: each.label }), onclick: () => { toggle(each); (tray.querySelector('button') ?? filter).focus(); } }, h('span', { class: 'cut' }, each.label), icon('close'))));
      tray.scrollTop = tray.scrollHeight;
      count.textContent = maximum ? t('select.countOf', { count: chosen.size, maximum }) : t('select.count', { count: chosen.size });
      act.disabled = !chosen.size;
    };
    const toggle = (each) => {
      const why = options.why?.(each);
      if (why && !chosen.has(each.key)) { toast(why, null, 3); return; }
      if (!isMany) { if (act.getAttribute('aria-busy')) return; chosen.clear(); chosen.set(each.key, each); mark(); finish(); return; }
      if (chosen.has(each.key)) chosen.delete(each.key);
      else if (maximum && chosen.size >= maximum) { toast(t('select.most', { count: maximum }), null, 3); return; }
      else chosen.set(each.key, each);
      mark();
    };

    // MARK: rows

    const picture = (each) => each.kind === 'person' ? personAvatar(each.user, 's40') : each.conversation.memberCount === undefined
      ? avatar({ name: each.label, key: each.id, isGroup: true, size: 's40' }) : conversationAvatar({ kind: 'group', ...each.conversation }, 's40');
    const row = (each) => {
      const why = options.why?.(each);
      const more = why ?? (each.list ? t(`select.list.${each.list}`) : each.kind === 'person' ? each.label === each.id ? null : each.id : each.conversation.memberCount === undefined ? null : t('list.members', { count: each.conversation.memberCount }));
      const element = h('div', { class: 'entry small-entry', role: 'option', tabindex: '-1', 'aria-selected': String(chosen.has(each.key)), 'aria-disabled': why ? 'true' : null, onclick: () => { focusRow(element); toggle(each); } },
        picture(each), h('span', { class: 'grow' }, h('span', { class: 'title cut' }, each.label), more && h('span', { class: 'small quiet cut' }, more)),
        isMany && h('span', { class: 'tick', 'aria-hidden': 'true' }, icon('check')));
      element.entry = each;
      return element;
    };
    const rows = () => [...list.querySelectorAll('[role=option]')];
    const focusRow = (element) => {
      if (!element) return;
      cell?.setAttribute('tabindex', '-1');
      cell = element;
      cell.setAttribute('tabindex', '0');
      cell.focus({ preventScroll: true });
      cell.scrollIntoView({ block: 'nearest' });
    };

    const wanted = () => {
      const { items } = states.get(current);
      return items.filter((each) => !without.has(each.key));
    };
    const draw = () => {
      const kept = cell?.isConnected && list.contains(document.activeElement) ? cell.entry.key : null;
      const items = wanted();
      const groups = new Map();
      for (const each of items) {
        const letter = current === 'recent' ? '' : each.group ?? '#';
        if (!groups.has(letter)) groups.set(letter, []);
        groups.get(letter).push(each);
      }
      const top = list.scrollTop;
      list.replaceChildren(...[...groups].map(([letter, all], index) => letter
        ? h('div', { role: 'group', 'aria-labelledby': `letter-${index}`, 'data-letter': letter }, h('div', { class: 'letter', id: `letter-${index}`, role: 'presentation' }, letter), all.map(row))
        : h('div', { role: 'group', 'aria-label': t('select.recent') }, all.map(row))));
      list.scrollTop = top;
      list.hidden = !items.length;
      cell = (kept && rows().find((each) => each.entry.key === kept)) || rows()[0] || null;
      cell?.setAttribute('tabindex', '0');
      if (kept) cell?.focus({ preventScroll: true });
      drawRail([...groups.keys()]);
      drawState(items.length);
    };
    const drawState = (found) => {
      const text = filter.value.trim();
      state.replaceChildren(...failure ? [h('div', { class: 'empty' }, h('span', { class: 'error' }, failure.message), h('button', { class: 'button', onclick: () => { failure = null; if (found) more(); else start(); } }, t('again')))]
        : isLoading && !found ? [spinner()]
          : found ? [] : [empty(text ? 'search' : 'person', t(text ? 'list.nothing' : `select.none.${current}`), text ? t('people.nobody.text') : null)]);
      state.hidden = !state.children.length;
    };

    const drawRail = (letters) => {
      const isWhole = !states.get(current).next;
      const last = Math.max(-1, ...letters.map((each) => alphabet.indexOf(each)));
      const shown = alphabet.filter((each, index) => letters.includes(each) || (!isWhole && index > last));
      rail.hidden = current === 'recent' || letters.length < 2 || rows().length < 10;
      const focused = rail.contains(document.activeElement) ? document.activeElement.textContent : null;
      rail.replaceChildren(...shown.map((each, index) => h('button', { tabindex: index ? '-1' : '0', 'aria-label': t('select.letter', { letter: each === '#' ? t('select.other') : each }), onclick: () => jump(each) }, each)));
      if (focused) [...rail.children].find((each) => each.textContent === focused)?.focus();
    };
    const jump = async (letter) => {
      const mine = turns;
      const at = alphabet.indexOf(letter);
      const isThere = () => alphabet.indexOf(states.get(current).items.at(-1)?.group) >= at;
      isJumping = true;
      rail.setAttribute('aria-busy', 'true');
      for (let pages = 0; !isThere() && states.get(current).next && !failure && pages < mostPagesOfJump && mine === turns; pages += 1) await more();
      isJumping = false;
      rail.removeAttribute('aria-busy');
      if (mine !== turns) return;
      draw();
      const group = [...list.children].find((each) => alphabet.indexOf(each.dataset.letter) >= at) ?? list.lastElementChild;
      if (!group) return;
      list.scrollTop += group.getBoundingClientRect().top - list.getBoundingClientRect().top;
      focusRow(group.querySelector('[role=option]'));
    };

    // MARK: reading

    const read = (names, cursor) => api.get(`contacts${api.query({ sections: names.join(','), conversation: options.conversation, query: filter.value.trim(), cursor, limit: pageSize })}`);
    const start = async () => {
      const mine = turns += 1;
      const text = filter.value.trim().toLowerCase();
      failure = null;
      if (states.has('recent')) states.set('recent', { items: sorted().filter((each) => titleOf(each).toLowerCase().includes(text)).slice(0, 200).map((each) => ofConversation(each)) });
      const others = sections.filter((each) => each !== 'recent');
      isLoading = others.length > 0;
      if (current !== 'recent') drawState(0);
      try {
        if (others.length) {
          const answer = await read(others);
          if (mine !== turns) return;
          for (const each of answer.sections) states.set(each.section, { items: each.items.map(ofContact), next: each.next });
        }
      } catch (error) { if (mine !== turns) return; failure = error; for (const each of others) states.set(each, { items: [] }); }
      isLoading = false;
      // Sections without anybody, and nobody searched for, are not offered.
      if (!wasEmpty && !failure) {
        current = sections.find((each) => states.get(each).items.length) ?? current;
        wasEmpty = new Set(sections.filter((each) => each !== current && !states.get(each).items.length));
        drawTabs();
      }
      draw();
      list.scrollTop = 0;
    };
    let reading = null;
    const readMore = async () => {
      const place = states.get(current);
      const [mine, name] = [turns, current];
      if (!place.next) return;
      try {
        const answer = await read([name], place.next);
        if (mine !== turns) return;
        const page = answer.sections.find((each) => each.section === name);
        place.items.push(...(page?.items ?? []).map(ofContact));
        place.next = page?.next;
        failure = null;
      } catch (error) { if (mine === turns) failure = error; }
    };
    const more = () => {
      const mine = turns;
      reading ??= readMore().finally(() => { reading = null; });
      return reading.then(() => { if (mine === turns && !isJumping) draw(); });
    };
    list.addEventListener('scroll', () => { if (!failure && list.scrollHeight - list.scrollTop - list.clientHeight < 600) more(); }, { passive: true });

    // MARK: tabs and keys

    const drawTabs = () => {
      const shown = sections.filter((each) => !wasEmpty?.has(each));
      tabs.hidden = shown.length < 2;
      tabs.replaceChildren(...shown.map((name) => h('label', {}, h('input', { type: 'radio', name: 'section', value: name, checked: name === current, onchange: () => { current = name; failure = null; draw(); list.scrollTop = 0; } }), h('span', {}, t(`select.${name}`)))));
    };
    filter.addEventListener('input', later(200, start));
    filter.addEventListener('keydown', (event) => {
      if (event.isComposing) return;
      if (event.key === 'ArrowDown') { event.preventDefault(); focusRow(cell ?? rows()[0]); }
      else if (event.key === 'Enter') {
        event.preventDefault();
        const first = rows().find((each) => each.getAttribute('aria-disabled') !== 'true');
        if (filter.value.trim() && first) { toggle(first.entry); filter.select(); } else if (isMany && chosen.size) finish();
      } else if (event.key === 'Escape' && filter.value) { event.preventDefault(); event.stopPropagation(); filter.value = ''; start(); }
      else if (event.key === 'Backspace' && !filter.value && isMany && chosen.size) toggle([...chosen.values()].at(-1));
    });
    list.addEventListener('keydown', (event) => {
      const all = rows();
      const at = all.indexOf(cell);
      const page = Math.max(1, Math.floor(list.clientHeight / 56) - 1);
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1, PageDown: Math.min(at + page, all.length - 1), PageUp: Math.max(at - page, 0) }[event.key];
      if (to !== undefined) { event.preventDefault(); if (to < 0) filter.focus(); else focusRow(all[Math.min(to, all.length - 1)]); }
      else if (event.key === ' ' || (event.key === 'Enter' && (!isMany || !chosen.size))) { event.preventDefault(); if (cell) toggle(cell.entry); }
      else if (event.key === 'Enter') { event.preventDefault(); finish(); }
      else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && event.key !== ' ') filter.focus();
    });
    rail.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
      if (step) { event.preventDefault(); document.activeElement[step]?.focus(); }
    });

    options.known?.then(() => { if (box.open) draw(); });
    drawTabs();
    mark();
    queueMicrotask(() => { start(); if (matchMedia('(hover: hover)').matches) filter.focus(); });
    return [h('div', { class: 'body flush' }, options.extra, h('div', { class: 'seek' }, icon('search'), filter), tray, tabs, problem, h('div', { class: 'picker' }, list, rail, state)),
      isMany && h('footer', {}, count, act)];
  });
}

/// The conversations of chosen entries; one with a person begins where there is none.
export async function conversationsOf(entries) {
  const ids = new Set();
  for (const each of entries) ids.add(each.kind === 'conversation' ? each.id : each.conversation?.id ?? takeConversation(await api.post('conversations', { kind: 'direct', with: each.id })).id);
  return [...ids];
}

/// The reason why nothing can be sent to an entry, as far as it is known here.
const closed = (each) => {
  const value = each.conversation ? model.conversations.get(each.conversation.id) : each.kind === 'person' && [...model.conversations.values()].find((known) => known.with?.name === each.id);
  return value ? mayNot(value.rights?.send) : null;
};

/// Sends a message on to other conversations.
export function forward(message) {
  const token = newToken();
  choose({
    title: t('forward.to'), do: t('forward'), sections: ['recent', 'people', 'teams', 'friends'], isMany: true, maximum: 20, why: closed,
    async run(chosen) {
      const to = await conversationsOf(chosen);
      const { items } = await api.post(`messages/${api.segment(message.id)}/forward`, { to, clientToken: token });
      const failed = items.filter((each) => each.problem).length;
      if (failed) throw new Error(t('forward.failed', { count: failed }));
      toast(t('forward.done', { count: to.length }));
    },
  });
}

const cardOf = (user) => ({ kind: 'card', card: { name: user.name, displayName: user.displayName || user.name } });

/// Chooses somebody, and sends their card into a conversation.
export function shareCard(id) {
  choose({
    title: t('share.whom'), sections: ['people', 'friends', 'members'], conversation: id, do: t('send'),
    async run([one]) {
      if (!await ask(t('share'), t('share.ask', { who: one.label }), t('send'), t('cancel'))) return false;
      send(id, cardOf(one.user));
      return true;
    },
  });
}

/// Sends somebody's card to chosen conversations.
export function sharePerson(name) {
  choose({
    title: t('share.to'), do: t('send'), sections: ['recent', 'people', 'teams', 'friends'], isMany: true, maximum: 20, why: closed,
    async run(chosen) {
      const to = await conversationsOf(chosen);
      for (const id of to) send(id, cardOf(person(name)));
      toast(t('share.done', { count: to.length }));
    },
  });
}

/// Chooses members to mention.
export function chooseMention(id, run) {
  choose({ title: t('mention.label'), do: t('mention.do'), sections: ['members'], conversation: id, isMany: true, maximum: 50, without: [`person:${model.me.name}`], run: (chosen) => run(chosen.map((each) => each.user)) });
}
