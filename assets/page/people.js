// People and groups: finding, new conversations, cards, members, one's own profile.

import * as api from './api.js';
import { ask, dialog, h, icon, later, menu, toast, tool } from './dom.js';
import { clock, dayName, t } from './i18n.js';
import { forgetConversation, learn, model, nameOf, newToken, on, person, takeConversation, titleOf } from './model.js';
import { busy, conversationAvatar, empty, pagedList, personAvatar } from './parts.js';
import { choose } from './select.js';

export function newConversation(app, event) {
  menu(event?.currentTarget ?? document.querySelector('.side header .tool:last-child'), [
    { icon: 'person', label: t('new.direct'), run: () => newDirect(app) },
    { icon: 'group', label: t('new.group'), run: () => newGroup(app) },
  ], t('new'));
}

async function openDirect(app, name) {
  const value = takeConversation(await api.post('conversations', { kind: 'direct', with: name }));
  app.open(value.id);
}

function newDirect(app) {
  choose({ title: t('new.direct'), source: 'people', without: [model.me.name], run: async ([one]) => openDirect(app, one.key) });
}

function newGroup(app) {
  const title = h('input', { class: 'input', id: 'group-title', maxlength: String(model.limits.titleCharacters ?? 100), autocomplete: 'off' });
  const token = newToken();
  choose({
    title: t('new.group'), do: t('new.group.do'), source: 'people', isMany: true, maximum: 200, without: [model.me.name],
    extra: h('div', { class: 'field' }, h('label', { for: 'group-title' }, t('group.title')), title),
    async run(chosen) {
      const text = title.value.trim() || [nameOf(model.me), ...chosen.map((each) => each.label)].slice(0, 4).join(t('list.comma'));
      const value = takeConversation(await api.post('conversations', { kind: 'group', title: [...text].slice(0, model.limits.titleCharacters ?? 100).join(''), members: chosen.map((each) => each.key), clientToken: token }));
      app.open(value.id);
    },
  });
}

/// The card of a person.
export async function showPerson(app, name) {
  const { box } = dialog(t('person.title'), t('close'), (close) => {
    const body = h('div', { class: 'body' });
    const draw = () => {
      const user = person(name);
      const write = h('button', { type: 'button', class: 'button primary', onclick: () => busy(write, async () => { try { await openDirect(app, name); close(); } catch (error) { toast(error.message); } }) }, icon('chat'), t('person.write'));
      const remark = h('input', { class: 'input', id: 'remark', value: user.remark ?? '', maxlength: String(model.limits.nameCharacters ?? 100), autocomplete: 'off' });
      const keep = h('button', { type: 'button', class: 'button', onclick: () => busy(keep, async () => {
        try { await api.put(`people/${api.segment(name)}/remark`, { remark: remark.value.trim() }); learn({ name, remark: remark.value.trim() || undefined }); toast(t('saved')); } catch (error) { toast(error.message); }
      }) }, t('saveText'));
      body.replaceChildren(h('div', { class: 'person' }, personAvatar(user, 's88'), h('span', { class: 'name' }, nameOf(user)), h('span', { class: 'quiet ui' }, user.remark ? `${user.displayName} · ${user.name}` : user.name)),
        ...(name === model.me.name ? [] : [write, h('div', { class: 'field' }, h('label', { for: 'remark' }, t('person.remark')), remark, h('span', { class: 'hint' }, t('person.remark.hint'))), keep]));
    };
    draw();
    return body;
  });
  api.get(`people/${api.segment(name)}`).then((user) => { learn(user); }, (error) => { if (box.open) toast(error.message); });
}

/// One's own profile: name and picture.
export function ownProfile() {
  dialog(t('me.profile'), t('close'), (close) => {
    const picture = h('span', {}, personAvatar({ ...model.me, isOnline: false }, 's88'));
    const name = h('input', { class: 'input', id: 'display-name', value: model.me.displayName ?? '', maxlength: String(model.limits.nameCharacters ?? 100), autocomplete: 'nickname' });
    const file = h('input', { type: 'file', accept: 'image/*', hidden: true, tabindex: '-1' });
    const change = h('button', { type: 'button', class: 'button', onclick: () => file.click() }, icon('picture'), t('me.picture'));
    file.addEventListener('change', () => file.files[0] && busy(change, async () => {
      try {
        const answer = await api.request('PUT', `/api/v1/files/${api.segment(file.files[0].name || 'picture')}`, { raw: file.files[0] });
        const { id } = await answer.json();
        const user = await api.put('me/avatar', { file: id });
        if (user?.name) learn(user);
        picture.replaceChildren(personAvatar({ ...model.me, isOnline: false }, 's88'));
      } catch (error) { toast(error.message); }
    }));
    const keep = h('button', { class: 'button primary' }, t('saveText'));
    const form = h('form', { class: 'body' }, h('div', { class: 'person' }, picture, h('span', { class: 'quiet ui' }, model.me.name), change, file),
      h('div', { class: 'field' }, h('label', { for: 'display-name' }, t('me.name')), name), keep);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      busy(keep, async () => {
        try { const user = await api.patch('me', { displayName: name.value.trim() }); if (user?.name) learn(user); toast(t('saved')); close(); } catch (error) { toast(error.message); }
      });
    });
    return form;
  });
}

/// Who has read one's own message.
export function receipts(message) {
  dialog(t('receipts'), t('close'), () => {
    const body = h('div', { class: 'body' }, h('div', { class: 'spinner', role: 'progressbar', 'aria-label': t('busy') }));
    const row = (name, time) => h('li', { class: 'option' }, personAvatar(person(name), 's36'), h('span', { class: 'grow cut' }, nameOf(person(name))), time && h('span', { class: 'small quiet' }, `${dayName(time)} ${clock(time)}`));
    api.get(`messages/${api.segment(message.id)}/receipts`).then(({ read, unread }) => body.replaceChildren(
      h('section', { class: 'section' }, h('h3', {}, t('receipts.read', { count: read.length })), h('ul', {}, read.map((each) => row(each.name, each.time)))),
      h('section', { class: 'section' }, h('h3', {}, t('receipts.unread', { count: unread.length })), h('ul', {}, unread.map((name) => row(name))))),
    (error) => body.replaceChildren(h('p', { class: 'error' }, error.message)));
    return body;
  });
}

const mayNot = (right) => (right === true ? null : t(`no.${right?.no}`) === `no.${right?.no}` ? t('no') : t(`no.${right?.no}`));

/// The card of a conversation: settings of one's own, title, members.
export function conversationCard(app, id) {
  const value = () => model.conversations.get(id);
  const path = `conversations/${api.segment(id)}`;
  const stops = [];
  const { box } = dialog(t('card.title'), t('close'), (close) => {
    const body = h('div', { class: 'body' });
    const top = h('div', { class: 'person' });
    const own = h('div', { class: 'section' });
    const list = h('div', { class: 'pick members', role: 'group', 'aria-label': t('members') });
    const setting = (label, name) => {
      const input = h('input', { type: 'checkbox', role: 'switch', class: 'switch', id: `set-${name}`, checked: Boolean(value()?.[name]) });
      input.addEventListener('change', async () => {
        try { await api.patch(`${path}/settings`, { [name]: input.checked }); takeConversation({ ...value(), [name]: input.checked }); } catch (error) { input.checked = !input.checked; toast(error.message); }
      });
      return h('div', { class: 'set' }, h('label', { for: `set-${name}` }, label), input);
    };
    const draw = () => {
      const conversation = value();
      if (!conversation) { close(); return; }
      const no = mayNot(conversation.rights?.update);
      top.replaceChildren(conversationAvatar(conversation, 's88'), h('span', { class: 'name' }, titleOf(conversation)), h('span', { class: 'quiet ui' }, conversation.kind === 'direct' ? conversation.with?.name ?? '' : t('list.members', { count: conversation.memberCount })),
        conversation.kind === 'direct' ? conversation.with && h('button', { type: 'button', class: 'button', onclick: () => { close(); showPerson(app, conversation.with.name); } }, t('person.title'))
          : h('button', { type: 'button', class: 'button', disabled: Boolean(no), title: no, onclick: () => rename(conversation) }, icon('edit'), t('group.rename')));
    };
    const rename = (conversation) => dialog(t('group.rename'), t('close'), (shut) => {
      const input = h('input', { class: 'input', id: 'new-title', value: conversation.title, maxlength: String(model.limits.titleCharacters ?? 100), autocomplete: 'off' });
      const keep = h('button', { class: 'button primary' }, t('saveText'));
      const form = h('form', { class: 'body' }, h('div', { class: 'field' }, h('label', { for: 'new-title' }, t('group.title')), input), keep);
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        busy(keep, async () => { try { const answer = await api.patch(path, { title: input.value.trim() }); if (answer?.id) takeConversation(answer); shut(); } catch (error) { toast(error.message); } });
      });
      return form;
    }, 'short');
    const memberRow = (member) => {
      const user = member.user ?? member;
      const role = member.role;
      const mine = value()?.role;
      const mayRemove = user.name !== model.me.name && (mine === 'owner' || (mine === 'manager' && role === 'member'));
      const more = tool('more', t('more'), () => menu(more, [
        mine === 'owner' && { icon: 'person', label: t(role === 'manager' ? 'member.noManager' : 'member.manager'), run: () => change(user, (p) => api.patch(p, { role: role === 'manager' ? 'member' : 'manager' })) },
        { icon: 'bin', danger: true, label: t('member.remove'), run: async () => { if (await ask(t('member.remove'), t('member.remove.ask', { who: nameOf(user) }), t('member.remove'), t('cancel'), true)) change(user, (p) => api.remove(p)); } },
      ], nameOf(user)));
      return h('div', { class: 'option' }, h('button', { type: 'button', class: 'plain', 'aria-label': nameOf(user), onclick: () => { close(); showPerson(app, user.name); } }, personAvatar(user, 's36')), h('span', { class: 'grow cut' }, member.nickname || nameOf(user)), role && role !== 'member' && h('span', { class: 'small quiet' }, t(`role.${role}`)), mayRemove && more);
    };
    const change = async (user, run) => { try { await run(`${path}/members/${api.segment(user.name)}`); pages.start(); } catch (error) { toast(error.message); } };
    const filter = h('input', { class: 'input', type: 'search', placeholder: t('members.filter'), 'aria-label': t('members.filter') });
    const pages = pagedList(list, (cursor) => api.get(`${path}/members${api.query({ query: filter.value.trim(), cursor, limit: 50 })}`), memberRow, () => empty('search', t('people.nobody')));
    filter.addEventListener('input', later(200, () => pages.start()));
    own.append(setting(t('list.pin'), 'isPinned'), setting(t('list.mute'), 'isMuted'));
    body.append(top, own);
    const conversation = value();
    if (conversation && conversation.kind !== 'direct') {
      const no = mayNot(conversation.rights?.invite);
      const add = h('button', { type: 'button', class: 'button', disabled: Boolean(no), title: no, onclick: () => choose({ title: t('members.add'), do: t('members.add.do'), source: 'people', isMany: true, without: [model.me.name],
        async run(chosen) { const { refused = [], asked = [] } = await api.post(`${path}/members`, { members: chosen.map((each) => each.key) }) ?? {}; if (refused.length) toast(t('members.refused', { who: refused.map((name) => nameOf(person(name))).join(t('list.comma')) })); else if (asked.length) toast(t('members.asked')); pages.start(); } }) }, icon('plus'), t('members.add'));
      const leave = h('button', { type: 'button', class: 'button danger', onclick: async () => {
        if (!await ask(t('leave'), t('leave.ask', { title: titleOf(value()) }), t('leave'), t('cancel'), true)) return;
        try { await api.post(`${path}/leave`); forgetConversation(id); close(); app.close(); } catch (error) { toast(error.message); }
      } }, t('leave'));
      body.append(h('div', { class: 'section' }, h('h3', {}, t('members')), h('div', { class: 'seek' }, icon('search'), filter), list), add, leave);
      queueMicrotask(() => pages.start());
    }
    stops.push(on(`conversation:${id}`, draw), on('person', draw));
    draw();
    return body;
  });
  box.addEventListener('close', () => { for (const each of stops) each(); });
}
