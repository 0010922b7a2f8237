// Requests that wait for an answer, and groups that one may ask to join.

import * as api from './api.js';
import { editText } from './card.js';
import { dialog, h, icon, later, toast } from './dom.js';
import { clock, dayName, moreTexts, t } from './i18n.js';
import { fetchConversation, learn, model, nameOf, on, readRequests } from './model.js';
import { avatar, busy, empty, pagedList, personAvatar } from './parts.js';

await moreTexts();

/// What others ask: to join a group of mine, or that I join one of theirs.
export function requests(app) {
  const stops = [];
  const { box } = dialog(t('requests'), t('close'), (close) => {
    const list = h('div', { class: 'requests', role: 'group', 'aria-label': t('requests') });
    const answer = async (each, accept, text) => {
      await api.post(`requests/${api.segment(each.id)}`, { accept, ...(text ? { text } : {}) });
      if (accept && each.kind === 'invitation') { fetchConversation(each.conversation).catch(() => {}); toast(t('requests.joined', { title: each.title }), { label: t('teams.open'), run: () => { close(); app.open(each.conversation); } }); }
      readRequests();
      pages.start();
    };
    const refuse = (each) => editText({ title: t('requests.refuse'), label: sentence(each), maximum: 200, hint: t('requests.reason'), act: t('requests.refuse'), isDanger: true, put: (text) => answer(each, false, text) });
    // Somebody else may have answered meanwhile: then the list is read anew.
    const run = (button, what) => busy(button, async () => { try { await what(); } catch (error) { toast(error.message); pages.start(); } });
    const isMine = (each) => each.canWithdraw === true && each.canAnswer !== true;
    const whoOf = (each) => isMine(each) || each.kind === 'join' ? each.person ?? each.from : each.from ?? each.person;
    const sentence = (each) => t(`requests.${each.kind}${isMine(each) || (each.kind === 'join' && each.person?.name === model.me.name) ? '.mine' : ''}`, { who: nameOf(whoOf(each)), title: each.title });
    const row = (each) => {
      for (const user of [each.from, each.person]) if (user?.version !== undefined) learn(user);
      const accept = h('button', { type: 'button', class: 'button primary', onclick: () => run(accept, () => answer(each, true)) }, t('requests.accept'));
      const withdraw = h('button', { type: 'button', class: 'button', onclick: () => run(withdraw, async () => { await api.remove(`requests/${api.segment(each.id)}`); pages.start(); }) }, t('requests.withdraw'));
      const isWaiting = each.state === 'waiting';
      return h('div', { class: 'request' }, personAvatar({ ...whoOf(each), isOnline: false }, 's40'),
        h('div', { class: 'grow' }, h('p', { class: 'what' }, sentence(each)), each.text && h('p', { class: 'quote' }, each.text),
          h('p', { class: 'small quiet' }, `${dayName(each.time)} ${clock(each.time)}`, !isWaiting && ` · ${t(`requests.state.${each.state}`)}`),
          isWaiting && each.canWithdraw && h('div', { class: 'acts' }, withdraw),
          isWaiting && each.canAnswer !== false && !isMine(each) && h('div', { class: 'acts' }, h('button', { type: 'button', class: 'button', onclick: () => refuse(each) }, t('requests.refuse')), accept)));
    };
    const pages = pagedList(list, (cursor) => api.get(`requests${api.query({ cursor })}`), row, () => empty('check', t('requests.none'), t('requests.none.text')));
    queueMicrotask(() => pages.start());
    const again = later(400, () => { if (!list.querySelector('[aria-busy=true]')) pages.start(); });
    stops.push(on('requests', again), () => again.stop());
    return h('div', { class: 'body' }, list);
  });
  box.addEventListener('close', () => { for (const each of stops) each(); });
}

/// Finds groups and asks to join one.
export function findTeam(app) {
  dialog(t('teams.find'), t('close'), (close, box) => {
    box.classList.add('selector');
    const filter = h('input', { class: 'input', type: 'search', placeholder: t('teams.filter'), 'aria-label': t('teams.filter'), maxlength: '64', autocomplete: 'off' });
    const list = h('div', { class: 'pick members', role: 'group', 'aria-label': t('teams.find') });
    const open = (team) => { close(); app.open(team.id); };
    const enter = (team, answer, field) => {
      if (!answer?.joined) { toast(t('teams.asked')); field.replaceChildren(h('span', { class: 'ui quiet' }, t('teams.waiting'))); return; }
      fetchConversation(team.id).catch(() => {}).then(() => open(team));
    };
    const join = (team, field, button) => {
      const ask = async (text) => enter(team, await api.post(`conversations/${api.segment(team.id)}/requests`, text ? { text } : {}), field);
      // An open group asks nobody, so that there is nothing to say.
      if (team.join === 'open') busy(button, () => ask().catch((error) => toast(error.message)));
      else editText({ title: t('teams.ask', { title: team.title }), label: t('teams.text'), maximum: 200, hint: t('teams.text.hint'), act: t('teams.ask.do'), put: ask });
    };
    const row = (team) => {
      const field = h('span', { class: 'act' });
      const isIn = team.joined || model.conversations.get(team.id)?.role;
      field.append(isIn ? h('button', { type: 'button', class: 'button', onclick: () => open(team) }, t('teams.open'))
        : team.mayJoin === true ? h('button', { type: 'button', class: 'button primary', onclick: ({ currentTarget }) => join(team, field, currentTarget) }, t(team.join === 'approval' ? 'teams.ask.do' : 'teams.join'))
          : h('span', { class: 'ui quiet' }, t('teams.closed')));
      return h('div', { class: 'member' }, h('div', { class: 'who' }, avatar({ name: team.title || '?', key: team.id, picture: team.avatar, isGroup: true, size: 's40' }),
        h('span', { class: 'grow' }, h('span', { class: 'cut' }, team.title || t('conversation.untitled')), h('span', { class: 'small quiet cut' }, team.introduction || t('list.members', { count: team.memberCount })))), field);
    };
    // Without a name there is nothing to look for: groups are found, not listed.
    const pages = pagedList(list, async (cursor) => !filter.value.trim() ? { items: [] } : api.get(`teams${api.query({ query: filter.value.trim(), cursor, limit: 50 })}`), row, () => filter.value.trim() ? empty('search', t('teams.none'), t('people.nobody.text')) : empty('group', t('teams.begin'), t('teams.begin.text')));
    filter.addEventListener('input', later(200, () => pages.start()));
    queueMicrotask(() => { pages.start(); filter.focus(); });
    return h('div', { class: 'body flush' }, h('div', { class: 'seek' }, icon('search'), filter), list);
  });
}
