// Choosing people or conversations: with a filter, several at once, a maximum, some chosen before.

import * as api from './api.js';
import { dialog, h, icon, later, toast } from './dom.js';
import { t } from './i18n.js';
import { newToken, nameOf, sorted, titleOf } from './model.js';
import { busy, conversationAvatar, empty, pagedList, personAvatar } from './parts.js';

/// Opens the selector. `options`: title, do (text of the button), source ('people' | 'conversations'), isMany, maximum, without
/// (names never shown), chosen, extra (elements above the list), run(chosen).
export function choose(options) {
  const chosen = new Map((options.chosen ?? []).map((each) => [each.key, each]));
  const maximum = options.maximum ?? 100;
  dialog(options.title, t('cancel'), (close) => {
    const tray = h('div', { class: 'chosen', 'aria-label': t('select.chosen'), role: 'group' });
    const list = h('div', { class: 'pick', role: options.isMany ? 'group' : 'group', 'aria-label': t('select.label') });
    const filter = h('input', { class: 'input', type: 'search', placeholder: t('select.filter'), 'aria-label': t('select.filter'), autocomplete: 'off' });
    const failure = h('p', { class: 'error ui', role: 'alert', hidden: true });
    const act = h('button', { type: 'button', class: 'button primary' }, options.do ?? t('done'));
    const finish = () => busy(act, async () => {
      failure.hidden = true;
      try { await options.run([...chosen.values()]); close(); } catch (error) { failure.textContent = error.message; failure.hidden = false; }
    });
    act.addEventListener('click', finish);
    const drawTray = () => {
      tray.hidden = !options.isMany || !chosen.size;
      tray.replaceChildren(...[...chosen.values()].map((each) => h('button', { type: 'button', 'aria-label': t('select.remove', { name: each.label }), onclick: () => toggle(each) }, h('span', { class: 'cut' }, each.label), icon('close'))));
      act.disabled = !chosen.size;
      act.textContent = chosen.size && options.isMany ? `${options.do ?? t('done')} (${chosen.size})` : options.do ?? t('done');
    };
    const toggle = (each) => {
      if (!options.isMany) { chosen.clear(); chosen.set(each.key, each); finish(); return; }
      if (chosen.has(each.key)) chosen.delete(each.key);
      else if (chosen.size >= maximum) { toast(t('select.most', { count: maximum })); return; }
      else chosen.set(each.key, each);
      for (const row of list.querySelectorAll('[role=checkbox]')) row.setAttribute('aria-checked', String(chosen.has(row.dataset.key)));
      drawTray();
    };
    const row = (each) => {
      const element = h('button', { type: 'button', class: 'entry small-entry', 'data-key': each.key, ...(options.isMany ? { role: 'checkbox', 'aria-checked': String(chosen.has(each.key)) } : {}), onclick: () => toggle(each) },
        each.picture(), h('span', { class: 'grow' }, h('span', { class: 'title cut', style: null }, each.label), each.more && h('span', { class: 'small quiet cut' }, ` ${each.more}`)), options.isMany && h('span', { class: 'tick', 'aria-hidden': 'true' }, icon('check')));
      element.addEventListener('keydown', (event) => { const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key]; if (step) { event.preventDefault(); (element[step]?.matches?.('button') ? element[step] : step.startsWith('prev') ? filter : null)?.focus(); } });
      return element;
    };
    const personEntry = (user) => ({ key: user.name, label: nameOf(user), more: nameOf(user) === user.name ? '' : user.name, picture: () => personAvatar(user, 's40') });
    const source = () => {
      const text = filter.value.trim();
      if (options.source === 'conversations') {
        const found = sorted().filter((each) => each.rights?.send === true && titleOf(each).toLowerCase().includes(text.toLowerCase()));
        list.replaceChildren(...found.slice(0, 200).map((each) => row({ key: each.id, label: titleOf(each), more: each.kind === 'direct' ? '' : t('list.members', { count: each.memberCount }), picture: () => conversationAvatar(each, 's40') })));
        if (!found.length) list.replaceChildren(empty('search', t('list.nothing')));
        return;
      }
      const without = new Set(options.without ?? []);
      pages = pagedList(list, async (cursor) => {
        const page = await api.get(`people${api.query({ query: text, cursor, limit: 50 })}`);
        return { items: page.items.filter((user) => !without.has(user.name)), next: page.next };
      }, (user) => row(personEntry(user)), () => empty('search', t('people.nobody'), text ? t('people.nobody.text') : null));
      pages.start();
    };
    let pages = null;
    filter.addEventListener('input', later(200, source));
    filter.addEventListener('keydown', (event) => { if (event.key === 'ArrowDown') { event.preventDefault(); list.querySelector('button')?.focus(); } if (event.key === 'Enter' && !event.isComposing) { event.preventDefault(); list.querySelector('button.entry')?.click(); } });
    drawTray();
    queueMicrotask(() => { source(); filter.focus(); });
    return [h('div', { class: 'body flush' }, options.extra, h('div', { class: 'seek' }, icon('search'), filter), tray, failure, list), options.isMany && h('footer', {}, act)];
  });
}

/// Sends a message on to other conversations.
export function forward(message) {
  const token = newToken();
  choose({
    title: t('forward.to'), do: t('forward'), source: 'conversations', isMany: true, maximum: 20,
    async run(chosen) {
      const { items } = await api.post(`messages/${api.segment(message.id)}/forward`, { to: chosen.map((each) => each.key), clientToken: token });
      const failed = items.filter((each) => each.problem).length;
      if (failed) throw new Error(t('forward.failed', { count: failed }));
      toast(t('forward.done', { count: chosen.length }));
    },
  });
}
