// Groups: the card of a conversation with every row, its members and what ends it; requests that wait for an answer, and groups that one may
// ask to join.

import * as api from './api.js';
import { ask, closeDialogs, dialog, h, icon, later, menu, toast, tool } from './dom.js';
import { clock, dayName, fullTime, moreTexts, shortTime, t } from './i18n.js';
import { fetchConversation, forgetConversation, learn, loadMessages, model, nameOf, on, person, takeConversation, takeRequest, titleOf } from './model.js';
import { avatar, busy, conversationAvatar, empty, failureLine, pagedList, personAvatar, richText, spinner } from './parts.js';
import { showPerson, uploadPicture } from './people.js';
import { choose } from './select.js';

await moreTexts();

const pathOf = (id, more = '') => `conversations/${api.segment(id)}${more}`;
const mine = ['nickname', 'notify', 'pin'];
const rules = ['join', 'invite', 'beInvited', 'updateInfo', 'muteAll', 'muted'];
const elsewhere = ['picture', 'members'];
/// A time after this is none: whoever is muted until then is muted for good.
const forGood = 8e15;
const mostMembers = 100;

const isFlag = (row) => !row.choices && [true, false, 'true', 'false'].includes(row.value);
const isOn = (row) => row.value === true || row.value === 'true';

/// The words of the server are parts of sentences; here they stand alone.
const upper = (text) => text && text[0].toUpperCase() + text.slice(1);
function sentences(card) {
  for (const each of [...card.rows, ...card.actions]) {
    each.label = upper(each.label);
    if (each.no?.detail) each.no.detail = upper(each.no.detail);
    for (const choice of each.choices ?? []) choice.label = upper(choice.label);
  }
  return card;
}

/// A row that does something: pressed, it runs, or tells why it may not.
function line({ id, label, value, no, run, danger, sign }) {
  const why = no && h('p', { class: 'why', id: `why-${id}`, hidden: true }, no);
  const content = [sign && icon(sign), h('span', { class: 'name' }, label), h('span', { class: 'value cut' }, value ?? '')];
  if (!run && !no) return h('div', { class: 'line', 'data-row': id }, content);
  const button = h('button', { class: `line${danger && !no ? ' danger' : ''}${no ? ' shut' : ''}`, 'data-row': id, 'aria-expanded': no ? 'false' : null, 'aria-controls': no ? `why-${id}` : null },
    content, icon(no ? 'info' : 'next'));
  button.addEventListener('click', () => {
    if (!no) { run(button); return; }
    why.hidden = !why.hidden;
    button.setAttribute('aria-expanded', String(!why.hidden));
  });
  return no ? h('div', {}, button, why) : button;
}

/// Asks for a text. `put(text)` takes it, and what it throws is shown; `label` stands above the field, `isDanger` colours the button.
export function editText({ title, label, value = '', isLong, maximum, hint, act = t('saveText'), isDanger, put }) {
  dialog(title, t('cancel'), (close) => {
    const field = h(isLong ? 'textarea' : 'input', { class: 'input', id: 'new-text', rows: isLong ? '6' : null, value, maxlength: String(maximum), autocomplete: 'off', 'aria-describedby': hint ? 'new-text-hint' : null });
    const failure = failureLine();
    const keep = h('button', { type: 'submit', class: `button ${isDanger ? 'danger' : 'primary'}` }, act);
    const form = h('form', { class: 'body' }, h('div', { class: 'field' }, h('label', { for: 'new-text', class: label ? null : 'unseen' }, label ?? title), field, hint && h('span', { class: 'hint', id: 'new-text-hint' }, hint)), failure,
      h('div', { class: 'acts' }, h('button', { class: 'button', onclick: close }, t('cancel')), keep));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      busy(keep, async () => { await put(field.value.trim()); close(); }, failure);
    });
    queueMicrotask(() => { field.focus(); if (!isLong) field.select(); });
    return form;
  }, 'short');
}

/// The card of a conversation.
export function conversationCard(app, id) {
  const value = () => model.conversations.get(id);
  const stops = [];
  const { box } = dialog(t('card.title'), t('close'), (close) => {
    const body = h('div', { class: 'body' }, spinner());
    let card = null;

    const change = async (fields) => {
      const answer = await api.patch(pathOf(id), fields);
      if (answer?.id) takeConversation(answer);
      await read();
    };
    const tryChange = async (fields) => { try { await change(fields); } catch (error) { toast(error.message); draw(); } };
    const setOwn = async (fields) => {
      try { const answer = await api.patch(pathOf(id, '/settings'), fields); takeConversation(answer?.id ? answer : { ...value(), ...fields }); } catch (error) { toast(error.message); draw(); }
    };

    // MARK: rows

    const toggle = (key, label, checked, run) => {
      const input = h('input', { type: 'checkbox', role: 'switch', class: 'switch', id: `set-${key}`, 'data-row': key, checked });
      input.addEventListener('change', () => run(input.checked));
      return h('div', { class: 'line' }, h('label', { class: 'name', for: `set-${key}` }, label), input);
    };
    const why = (row) => row.no ? row.no.detail ?? t('no') : row.canChange ? null : undefined;
    const labelOf = (row) => row.shown ? upper(row.shown) : row.choices?.find((each) => each.value === row.value)?.label ?? (row.row === 'form' ? t(`form.${row.value}`) : isFlag(row) ? t(isOn(row) ? 'on' : 'off') : row.value);
    const rowOf = (row) => {
      const { row: key, label } = row;
      const common = { id: key, label, value: labelOf(row), no: why(row) };
      if (key === 'muted') return line({ ...common, no: null, run: () => members(app, id, card, { isMutedOnly: true }) });
      if (key === 'announcement') return line({ ...common, no: null, value: row.value || t('none'), run: () => announcement(row) });
      if (!row.canChange) return line({ ...common, value: common.value || t('none') });
      if (key === 'notify' && row.choices?.length === 2 || isFlag(row)) {
        const [first, second] = isFlag(row) ? [true, false] : ['all', 'none'];
        return toggle(key, label, isFlag(row) ? isOn(row) : row.value === 'all', (checked) => tryChange({ [key]: checked ? first : second }));
      }
      if (row.choices) return line({ ...common, run: (button) => menu(button, row.choices.map((each) => ({ icon: each.value === row.value ? 'check' : 'blank', label: each.label, isOn: each.value === row.value, run: () => tryChange({ [key]: each.value }) })), label) });
      const isLong = key === 'introduction';
      return line({ ...common, value: row.value || t('none'), run: () => editText({ title: label, value: row.value, isLong, maximum: key === 'title' ? model.limits.titleCharacters ?? 64 : isLong ? 512 : 64, hint: key === 'nickname' ? t('card.nickname.hint') : null, put: (text) => change({ [key]: text }) }) });
    };

    const announcement = (row) => dialog(row.label, t('close'), (shut) => {
      const write = row.canChange && h('button', { class: 'button primary', onclick: () => {
        shut();
        editText({ title: t('announcement.new'), value: row.value, isLong: true, maximum: 1024, hint: t('announcement.hint'), put: (text) => change({ announcement: text }) });
      } }, icon('edit'), t(row.value ? 'announcement.change' : 'announcement.new'));
      return h('div', { class: 'body' }, row.value ? h('div', { class: 'text' }, richText(row.value)) : empty('info', t('announcement.none'), row.canChange ? t('announcement.none.text') : null), write || (row.no && h('p', { class: 'why' }, row.no.detail)));
    });

    // MARK: ends

    const handOver = () => choose({
      title: t('handOver.to'), do: t('handOver'), sections: ['members'], conversation: id, without: [`person:${model.me.name}`],
      run: ([one]) => new Promise((resolve) => {
        const { box: question } = dialog(t('handOver'), t('cancel'), (shut) => {
          const leave = h('input', { type: 'checkbox', role: 'switch', class: 'switch', id: 'and-leave' });
          const mayLeave = card.actions.some((each) => each.action === 'handOverAndLeave' && each.allowed);
          const failure = failureLine();
          const act = h('button', { class: 'button danger', onclick: () => busy(act, async () => {
            await api.post(pathOf(id, '/owner'), { name: one.id, leave: leave.checked });
            resolve(true);
            shut();
            if (leave.checked) over(); else await read();
            toast(t('handOver.done', { who: one.label }));
          }, failure) }, t('handOver'));
          return [h('div', { class: 'body' }, h('p', {}, t('handOver.ask', { who: one.label })), mayLeave && h('div', { class: 'set' }, h('label', { for: 'and-leave' }, t('handOver.leave')), leave), failure),
            h('footer', {}, h('button', { class: 'button', onclick: shut }, t('cancel')), act)];
        }, 'short');
        question.addEventListener('close', () => resolve(false));
      }),
    });
    const over = () => { forgetConversation(id); close(); if (app.current === id) app.close(); };
    const leave = async () => {
      if (!await ask(t('leave'), t(card?.rows.find((row) => row.row === 'join')?.value === 'open' ? 'leave.ask.open' : 'leave.ask', { title: titleOf(value()) }), t('leave'), t('cancel'), true)) return;
      try { await api.post(pathOf(id, '/leave')); over(); } catch (error) { toast(error.message); }
    };
    const dismiss = async () => {
      if (!await ask(t('dismiss'), t('dismiss.ask', { title: titleOf(value()), count: value().memberCount }), t('dismiss'), t('cancel'), true)) return;
      try { await api.remove(pathOf(id, '/team')); await fetchConversation(id).catch(() => forgetConversation(id)); close(); } catch (error) { toast(error.message); }
    };
    const clearHistory = async () => {
      if (!await ask(t('clear'), t('clear.ask', { title: titleOf(value()) }), t('clear'), t('cancel'), true)) return;
      try { await api.remove(pathOf(id, '/messages')); await loadMessages(id); toast(t('clear.done')); } catch (error) { toast(error.message); }
    };
    const ends = { clearHistory: { run: clearHistory, sign: 'bin' }, handOver: { run: handOver, sign: 'crown' }, leave: { run: leave, danger: true, sign: 'out' }, dismiss: { run: dismiss, danger: true, sign: 'warn' } };

    // MARK: the whole

    const head = () => {
      const conversation = value();
      const picture = card?.rows.find((row) => row.row === 'picture');
      const file = picture?.canChange && h('input', { type: 'file', accept: 'image/*', hidden: true, tabindex: '-1', 'aria-hidden': 'true' });
      const pick = file && h('button', { class: 'button', 'data-row': 'picture', onclick: () => file.click() }, icon('picture'), t('me.picture'));
      if (file) file.addEventListener('change', () => file.files[0] && busy(pick, async () => {
        await change({ picture: await uploadPicture(file.files[0]) });
      }));
      return h('div', { class: 'person' }, conversationAvatar(conversation, 's88'), h('span', { class: 'name' }, titleOf(conversation)),
        h('span', { class: 'quiet ui' }, conversation.kind === 'direct' ? conversation.with?.name ?? '' : [t('list.members', { count: conversation.memberCount }), card?.form && t(`form.${card.form}`)].filter(Boolean).join(' · ')),
        conversation.kind === 'direct' ? conversation.with && h('button', { class: 'button', onclick: () => { close(); showPerson(app, conversation.with.name); } }, t('person.title')) : [pick, file]);
    };
    const faces = h('div', { class: 'faces' });
    const readFaces = async () => {
      try {
        const { items } = await api.get(pathOf(id, `/members${api.query({ limit: 5 })}`));
        const invite = card.actions.find((each) => each.action === 'invite');
        const why = invite && !invite.allowed ? invite.no?.detail ?? t('no') : null;
        const add = invite && h('button', { class: 'face', 'data-row': 'invite', onclick: () => { if (why) toast(why); else addMembers(id, card, readFaces); } }, h('span', { class: `avatar hollow${why ? ' shut' : ''}` }, icon('plus')), h('span', { class: 'small cut' }, t('members.add.do')));
        faces.replaceChildren(...items.map(({ user, nickname }) => h('button', { class: 'face', onclick: () => showPerson(app, user.name) }, personAvatar({ ...user, isOnline: false }), h('span', { class: 'small cut' }, nickname || nameOf(user)))), ...(add ? [add] : []));
      } catch (error) { faces.replaceChildren(h('p', { class: 'error ui' }, error.message)); }
    };
    const group = (title, rows) => rows.length ? h('section', { class: 'section' }, title && h('h3', {}, title), h('div', { class: 'lines' }, rows)) : null;
    const draw = () => {
      const conversation = value();
      if (!conversation) { close(); return; }
      const opened = [...body.querySelectorAll('[data-row][aria-expanded=true]')].map((each) => each.dataset.row);
      const focused = body.contains(document.activeElement) ? document.activeElement.dataset.row : null;
      if (conversation.kind === 'direct') {
        body.replaceChildren(head(), group(null, [toggle('isPinned', t('list.pin'), Boolean(conversation.isPinned), (isPinned) => setOwn({ isPinned })), toggle('isMuted', t('list.mute'), Boolean(conversation.isMuted), (isMuted) => setOwn({ isMuted }))]));
      } else if (card) {
        const of = (names) => card.rows.filter((row) => names.includes(row.row)).map(rowOf);
        const count = card.rows.find((row) => row.row === 'members');
        body.replaceChildren(...[head(),
          count && group(null, [faces, line({ id: 'members', label: count.label, value: String(conversation.memberCount), run: () => members(app, id, card) })]),
          group(t('card.about'), card.rows.filter((row) => ![...mine, ...rules, ...elsewhere].includes(row.row)).map(rowOf)),
          group(t('card.mine'), of(mine)), group(t('card.rules'), of(rules)),
          group(t('card.end'), card.actions.filter((each) => ends[each.action]).map((each) => line({ id: each.action, label: each.label, no: each.allowed ? null : each.no?.detail ?? t('no'), ...ends[each.action] })))].filter(Boolean));
      }
      for (const each of opened) body.querySelector(`.shut[data-row="${each}"]`)?.click();
      if (focused && document.activeElement === document.body) body.querySelector(`[data-row="${focused}"]`)?.focus();
    };
    const read = async () => {
      if (!value() || value().kind === 'direct') { draw(); return; }
      try {
        card = sentences(await api.get(pathOf(id, '/card')));
        draw();
        if (faces.isConnected) readFaces();
      } catch (error) {
        if (card) toast(error.message);
        else body.replaceChildren(h('div', { class: 'empty' }, h('span', { class: 'error' }, error.message), h('button', { class: 'button', onclick: () => { body.replaceChildren(spinner()); read(); } }, t('again'))));
      }
    };
    const again = later(300, read);
    stops.push(on(`conversation:${id}`, () => { if (!value()) close(); else again(); }), on(`members:${id}`, again), () => again.stop());
    read();
    return body;
  });
  box.addEventListener('close', () => { for (const each of stops) each(); });
}

// MARK: members

async function addMembers(id, card, then) {
  const inside = new Set();
  const known = (async () => {
    let cursor;
    for (let pages = 0; pages < mostMembers; pages += 1) {
      const page = await api.get(pathOf(id, `/members${api.query({ cursor, limit: 100 })}`));
      for (const each of page.items) inside.add(each.user.name);
      cursor = page.next;
      if (!cursor) return;
    }
  })().catch(() => {});
  choose({
    title: t('members.add'), do: t('members.add.do'), sections: ['people', 'friends'], isMany: true, maximum: 100, known,
    why: (each) => inside.has(each.id) ? t('members.already') : null,
    async run(chosen) {
      const { refused = [], asked = [] } = await api.post(pathOf(id, '/members'), { members: chosen.map((each) => each.id) }) ?? {};
      if (refused.length) toast(t('members.refused', { who: refused.map((name) => nameOf(person(name))).join(t('list.comma')) }));
      else toast(t(asked.length ? 'members.asked' : 'members.added'));
      then();
    },
  });
}

const muteTimes = [['minutes', 10, 6e5], ['hours', 1, 36e5], ['hours', 12, 432e5], ['days', 1, 864e5], ['days', 7, 6048e5], ['days', 30, 2592e6]];

/// The members, with what may be done to each.
function members(app, id, card, { isMutedOnly } = {}) {
  const value = () => model.conversations.get(id);
  const stops = [];
  const { box } = dialog(isMutedOnly ? t('members.muted') : t('members'), t('close'), (close) => {
    const isNormal = card.form === 'normal';
    const list = h('div', { class: 'pick members', role: 'group', 'aria-label': t('members') });
    const filter = h('input', { class: 'input', type: 'search', placeholder: t('members.filter'), 'aria-label': t('members.filter'), maxlength: '64', autocomplete: 'off' });
    const change = async (user, run) => { try { await run(pathOf(id, `/members/${api.segment(user.name)}`)); pages.start(); } catch (error) { toast(error.message); } };
    const until = (time) => time > forGood ? t('member.muted') : t('member.mutedUntil', { time: new Date(time).toDateString() === new Date().toDateString() ? shortTime(time) : fullTime(time) });
    const mute = (anchor, user) => menu(anchor, [...muteTimes.map(([unit, count, length]) => ({ icon: 'clock', label: t(`member.mute.${unit}`, { count }), run: () => change(user, (p) => api.patch(p, { mutedUntil: Date.now() + length })) })),
      { icon: 'silent', label: t('member.mute.forGood'), run: () => change(user, (p) => api.patch(p, { mutedUntil: Number.MAX_SAFE_INTEGER })) }], t('member.mute.of', { who: nameOf(user) }));
    const row = (member) => {
      const { user, role } = member;
      const name = member.nickname || nameOf(user);
      const own = value()?.role;
      const isMe = user.name === model.me.name;
      const ranks = !isMe && (own === 'owner' || (own === 'manager' && role === 'member'));
      const isMuted = member.mutedUntil > Date.now();
      const more = ranks && tool('more', t('member.actions', { who: name }), () => menu(more, [
        !isNormal && own === 'owner' && { icon: 'person', label: t(role === 'manager' ? 'member.noManager' : 'member.manager'), run: () => change(user, (p) => api.patch(p, { role: role === 'manager' ? 'member' : 'manager' })) },
        !isNormal && { icon: 'edit', label: t('member.nickname'), run: () => editText({ title: t('member.nickname'), value: member.nickname, maximum: 64, put: async (text) => { await api.patch(pathOf(id, `/members/${api.segment(user.name)}`), { nickname: text }); pages.start(); } }) },
        !isNormal && (isMuted ? { icon: 'bell', label: t('member.unmute'), run: () => change(user, (p) => api.patch(p, { mutedUntil: 0 })) } : { icon: 'silent', label: t('member.mute'), run: () => mute(more, user) }),
        { icon: 'bin', danger: true, label: t('member.remove'), run: async () => { if (await ask(t('member.remove'), t('member.remove.ask', { who: name }), t('member.remove'), t('cancel'), true)) change(user, (p) => api.remove(p)); } },
      ], name), { 'aria-haspopup': 'menu' });
      return h('div', { class: 'member' }, h('button', { class: 'who', onclick: () => showPerson(app, user.name) }, personAvatar(user, 's40'),
        h('span', { class: 'grow' }, h('span', { class: 'cut' }, isMe ? t('member.me', { name }) : name), isMuted ? h('span', { class: 'small muted cut' }, until(member.mutedUntil)) : name !== user.name && h('span', { class: 'small quiet cut' }, user.name)),
        role && role !== 'member' && h('span', { class: `badge ${role}` }, t(`role.${role}`))), more);
    };
    const pages = pagedList(list, async (cursor) => {
      const page = await api.get(pathOf(id, `/members${api.query({ query: filter.value.trim(), cursor, limit: 100 })}`));
      return isMutedOnly ? { ...page, items: page.items.filter((each) => each.mutedUntil > Date.now()) } : page;
    }, row, () => empty(isMutedOnly ? 'bell' : 'search', t(isMutedOnly ? 'members.muted.none' : 'people.nobody')));
    filter.addEventListener('input', later(200, () => pages.start()));
    const invite = card.actions.find((each) => each.action === 'invite');
    const add = !isMutedOnly && invite?.allowed && h('button', { class: 'button', onclick: () => addMembers(id, card, () => pages.start()) }, icon('plus'), t('members.add'));
    queueMicrotask(() => pages.start());
    const again = later(400, () => { if (!value()) close(); else if (!box.querySelector('.menu')) pages.start(); });
    stops.push(on(`members:${id}`, again), () => again.stop());
    return h('div', { class: 'body' }, h('div', { class: 'seek' }, icon('search'), filter), add, list);
  });
  box.addEventListener('close', () => { for (const each of stops) each(); });
}

// MARK: requests

const isMine = (each) => each.canWithdraw || (each.kind === 'join' ? each.person : each.from)?.name === model.me.name;
const whoOf = (each) => each.kind === 'join' || isMine(each) ? each.person : each.from ?? each.person;
const sentence = (each) => t(`requests.${each.kind}${isMine(each) ? '.mine' : ''}`, { who: nameOf(whoOf(each)), title: each.title });

const said = new Set();
/// Says once how a request was answered, by which oneself comes in or not.
export function answered(app, request) {
  if (said.has(request.id)) return;
  said.add(request.id);
  if (request.state === 'refused') { if (isMine(request)) toast([sentence(request), t('requests.state.refused'), request.reason].filter(Boolean).join(' · '), null, 10); return; }
  toast(t('requests.joined', { title: request.title }), { label: t('teams.open'), run: () => { closeDialogs(); app.open(request.conversation); } }, 10);
}

/// What others ask: to join a group of mine, or that I join one of theirs.
export function requests() {
  let stop;
  const { box } = dialog(t('requests'), t('close'), () => {
    const list = h('div', { class: 'requests', role: 'group', 'aria-label': t('requests') });
    const answer = async (each, accept, text) => {
      takeRequest(await api.post(`requests/${api.segment(each.id)}`, { accept, ...(text ? { text } : {}) }));
    };
    const refuse = (each) => editText({ title: t('requests.refuse'), label: sentence(each), maximum: 200, hint: t('requests.reason'), act: t('requests.refuse'), isDanger: true, put: (text) => answer(each, false, text) });
    // Somebody else may have answered meanwhile: then the list is read anew.
    const run = (button, what) => busy(button, async () => { try { await what(); } catch (error) { toast(error.message); pages.start(); } });
    const row = (each) => {
      for (const user of [each.from, each.person]) if (user?.version !== undefined) learn(user);
      const accept = h('button', { class: 'button primary', onclick: () => run(accept, () => answer(each, true)) }, t('requests.accept'));
      const withdraw = h('button', { class: 'button', onclick: () => run(withdraw, async () => { await api.remove(`requests/${api.segment(each.id)}`); takeRequest({ ...each, state: 'withdrawn', canWithdraw: false }); }) }, t('requests.withdraw'));
      return h('div', { class: 'request' }, personAvatar({ ...whoOf(each), isOnline: false }, 's40'),
        h('div', { class: 'grow' }, h('p', { class: 'what' }, sentence(each)), each.text && h('p', { class: 'quote' }, each.text),
          h('p', { class: 'small quiet' }, `${dayName(each.time)} ${clock(each.time)}`, each.state !== 'waiting' && ` · ${t(`requests.state.${each.state}`)}`),
          each.canWithdraw && h('div', { class: 'acts' }, withdraw),
          each.canAnswer && h('div', { class: 'acts' }, h('button', { class: 'button', onclick: () => refuse(each) }, t('requests.refuse')), accept)));
    };
    const pages = pagedList(list, (cursor) => api.get(`requests${api.query({ cursor })}`), row, () => empty('check', t('requests.none'), t('requests.none.text')));
    queueMicrotask(() => pages.start());
    stop = on('request', pages.take);
    return h('div', { class: 'body' }, list);
  });
  box.addEventListener('close', stop);
}

// MARK: groups to join

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
      if (team.join === 'open') busy(button, ask);
      else editText({ title: t('teams.ask', { title: team.title }), label: t('teams.text'), maximum: 200, hint: t('teams.text.hint'), act: t('teams.ask.do'), put: ask });
    };
    const row = (team) => {
      const field = h('span', { class: 'act' });
      const isIn = team.joined || model.conversations.get(team.id)?.role;
      field.append(isIn ? h('button', { class: 'button', onclick: () => open(team) }, t('teams.open'))
        : team.mayJoin === true ? h('button', { class: 'button primary', onclick: ({ currentTarget }) => join(team, field, currentTarget) }, t(team.join === 'approval' ? 'teams.ask.do' : 'teams.join'))
          : h('span', { class: 'ui quiet' }, t('teams.closed')));
      return h('div', { class: 'member' }, h('div', { class: 'who' }, avatar({ name: team.title || '?', key: team.id, picture: team.avatar, isGroup: true, size: 's40' }),
        h('span', { class: 'grow' }, h('span', { class: 'cut' }, team.title || t('conversation.untitled')), h('span', { class: 'small quiet cut' }, team.introduction || t('list.members', { count: team.memberCount })))), field);
    };
    // Without a name there is nothing to look for: groups are found, not listed.
    const pages = pagedList(list, async (cursor) => !filter.value.trim() ? { items: [] } : api.get(`teams${api.query({ query: filter.value.trim(), cursor, limit: 50 })}`), row, () => filter.value.trim() ? empty('search', t('teams.none'), t('people.nobody.text')) : empty('group', t('teams.begin'), t('teams.begin.text')));
    filter.addEventListener('input', later(200, () => pages.start()));
    queueMicrotask(() => { pages.start(); filter.focus(); });
    box.addEventListener('close', on('request', (request) => { if (request.person.name === model.me.name && request.state !== 'waiting') pages.start(); }));
    return h('div', { class: 'body flush' }, h('div', { class: 'seek' }, icon('search'), filter), list);
  });
}
