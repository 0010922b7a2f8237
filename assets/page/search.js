// Search in messages: results with the words marked, and a jump to where they stand.

import * as api from './api.js';
import { dialog, h, icon, later } from './dom.js';
import { shortTime, t } from './i18n.js';
import { model, nameOf, person, titleOf } from './model.js';
import { conversationAvatar, empty, pagedList, personAvatar, richText } from './parts.js';

/// Searches one conversation, or all of them without `id`.
export function search(house, id) {
  dialog(id ? t('search.in', { title: titleOf(model.conversations.get(id)) }) : t('search'), t('close'), (close) => {
    const list = h('div', { class: 'pick', role: 'group', 'aria-label': t('search.results') });
    const input = h('input', { class: 'input', type: 'search', placeholder: t('search'), 'aria-label': t('search'), autocomplete: 'off' });
    const row = ({ message, conversation, snippet, matches }) => {
      const sender = person(message.sender);
      const place = model.conversations.get(conversation?.id ?? message.conversation);
      const element = h('button', { type: 'button', class: 'entry hit', onclick: () => { close(); house.open(message.conversation, message.sequence); } }, id || !place ? personAvatar(sender, 's40') : conversationAvatar(place, 's40'),
        h('span', { class: 'grow' }, h('span', { class: 'top' }, h('span', { class: 'title grow cut' }, id || !place ? nameOf(sender) : titleOf(place)), h('span', { class: 'time' }, shortTime(message.time))), h('span', { class: 'digest text' }, richText(snippet ?? message.text ?? '', { marks: matches }))));
      return element;
    };
    const pages = pagedList(list, (cursor) => api.get(`search${api.query({ q: input.value.trim(), conversation: id, cursor })}`), row, () => empty('search', t('search.nothing')));
    const run = () => { if (input.value.trim()) pages.start(); else list.replaceChildren(empty('search', t('search.start'))); };
    input.addEventListener('input', later(250, run));
    queueMicrotask(() => { run(); input.focus(); });
    return h('div', { class: 'body flush' }, h('div', { class: 'seek' }, icon('search'), input), list);
  });
}
