// People: finding them, new conversations, the card of a person, who has read; one's own profile, the settings of this browser, and one's
// devices.

import * as api from './api.js';
import { ask, closeDialogs, dialog, h, icon, menu, toast } from './dom.js';
import { clock, dayName, language, moreTexts, t } from './i18n.js';
import { scheme, schemes, setScheme, signOut, turn } from './main.js';
import { learn, model, nameOf, newToken, on, person, takeConversation } from './model.js';
import { busy, failureLine, personAvatar, spinner } from './parts.js';
import { choose, sharePerson } from './select.js';

await moreTexts();

export function newConversation(app, event) {
  menu(event?.currentTarget ?? document.querySelector('.side header .tool:last-child'), [
    { icon: 'person', label: t('new.direct'), run: () => newDirect(app) },
    { icon: 'group', label: t('new.group'), run: () => newGroup(app) },
    { icon: 'search', label: t('teams.find'), run: async () => (await import('./card.js')).findTeam(app) },
    model.isAdministrator && 'line',
    model.isAdministrator && { icon: 'plus', label: t('invite'), run: async () => (await import('./invite.js')).invite() },
  ], t('new'));
}

async function openDirect(app, name) {
  const value = takeConversation(await api.post('conversations', { kind: 'direct', with: name }));
  app.open(value.id);
}

export function newDirect(app) {
  choose({ title: t('new.direct'), sections: ['people', 'friends', 'lists'], without: [`person:${model.me.name}`], run: async ([one]) => one.kind === 'person' ? openDirect(app, one.id) : app.open(one.id) });
}

function newGroup(app) {
  const title = h('input', { class: 'input', id: 'group-title', maxlength: String(model.limits.titleCharacters ?? 100), autocomplete: 'off' });
  const token = newToken();
  choose({
    title: t('new.group'), do: t('new.group.do'), sections: ['people', 'friends'], isMany: true, maximum: 200, without: [`person:${model.me.name}`],
    extra: h('div', { class: 'field' }, h('label', { for: 'group-title' }, t('group.title')), title),
    async run(chosen) {
      const text = title.value.trim() || [nameOf(model.me), ...chosen.map((each) => each.label)].slice(0, 4).join(t('list.comma'));
      const value = takeConversation(await api.post('conversations', { kind: 'group', title: [...text].slice(0, model.limits.titleCharacters ?? 100).join(''), members: chosen.map((each) => each.id), clientToken: token }));
      app.open(value.id);
    },
  });
}

/// The card of a person.
export async function showPerson(app, name) {
  const { box } = dialog(t('person.title'), t('close'), () => {
    const head = h('div', { class: 'person' });
    const draw = () => {
      const user = person(name);
      head.replaceChildren(personAvatar(user, 's88'), h('span', { class: 'name' }, nameOf(user)), h('span', { class: 'quiet ui' }, user.remark ? `${user.displayName} · ${user.name}` : user.name));
    };
    const stop = on('person', draw);
    queueMicrotask(() => box.addEventListener('close', stop));
    draw();
    if (name === model.me.name) return h('div', { class: 'body' }, head);
    const write = h('button', { class: 'button primary', onclick: () => busy(write, async () => { await openDirect(app, name); closeDialogs(); }) }, icon('chat'), t('person.write'));
    const share = h('button', { class: 'button', onclick: () => sharePerson(name) }, icon('forward'), t('share'));
    const remark = h('input', { class: 'input', id: 'remark', value: person(name).remark ?? '', maxlength: String(model.limits.nameCharacters ?? 100), autocomplete: 'off', 'aria-describedby': 'remark-hint' });
    const keep = h('button', { type: 'submit', class: 'button' }, t('saveText'));
    const form = h('form', { class: 'field' }, h('label', { for: 'remark' }, t('person.remark')), h('div', { class: 'link' }, remark, keep), h('span', { class: 'hint', id: 'remark-hint' }, t('person.remark.hint')));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      busy(keep, async () => {
        await api.put(`people/${api.segment(name)}/remark`, { remark: remark.value.trim() }); learn({ name, remark: remark.value.trim() || undefined }); toast(t('saved'));
      });
    });
    return h('div', { class: 'body' }, head, h('div', { class: 'pair' }, write, share), form);
  });
  api.get(`people/${api.segment(name)}`).then((user) => { learn(user); }, (error) => { if (box.open) toast(error.message); });
}

/// The id of a picture that was stored on the server.
export async function uploadPicture(file) {
  const answer = await api.request('PUT', `/api/v1/files/${api.segment(file.name || 'picture')}`, { raw: file });
  return (await answer.json()).id;
}

/// Replaces one's own password; other devices stay signed in unless that is wanted.
function changePassword() {
  dialog(t('password'), t('cancel'), (close) => {
    const field = (name, complete, hint) => h('div', { class: 'field' }, h('label', { for: name }, t(`password.${name}`)), h('input', { class: 'input', id: name, name, type: 'password', required: true, autocomplete: complete, 'aria-describedby': hint && `${name}-hint` }), hint && h('span', { class: 'hint', id: `${name}-hint` }, hint));
    const ends = h('input', { type: 'checkbox', role: 'switch', class: 'switch', id: 'ends' });
    const failure = failureLine();
    const keep = h('button', { type: 'submit', class: 'button primary' }, t('saveText'));
    const form = h('form', { class: 'body' }, field('current', 'current-password'), field('new', 'new-password', t('setup.password.hint')),
      h('div', { class: 'set' }, h('label', { for: 'ends' }, t('devices.all')), ends), failure, keep);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      busy(keep, async () => {
        try {
          await api.put('me/password', { current: form.elements.current.value, password: form.elements.new.value, endsOthers: ends.checked });
          close();
          toast(t('saved'));
        } catch (error) {
          form.elements[error.code === 'wrong_password' ? 'current' : 'new'].focus();
          throw error;
        }
      }, failure);
    });
    return form;
  }, 'short');
}

/// One's own profile: name, picture and password.
export function ownProfile() {
  dialog(t('me.profile'), t('close'), (close) => {
    const picture = h('span', {}, personAvatar({ ...model.me, isOnline: false }, 's88'));
    const name = h('input', { class: 'input', id: 'display-name', value: model.me.displayName ?? '', maxlength: String(model.limits.nameCharacters ?? 100), autocomplete: 'nickname' });
    const file = h('input', { type: 'file', accept: 'image/*', hidden: true, tabindex: '-1' });
    const change = h('button', { class: 'button', onclick: () => file.click() }, icon('picture'), t('me.picture'));
    const none = h('button', { class: 'button', hidden: !model.me.avatar, onclick: () => busy(none, async () => { await take(''); }) }, icon('bin'), t('me.noPicture'));
    const take = async (id) => {
      const user = await api.put('me/avatar', { file: id });
      // A picture that was taken away is no member of the answer.
      if (user?.name) learn({ avatar: undefined, ...user });
      picture.replaceChildren(personAvatar({ ...model.me, isOnline: false }, 's88'));
      none.hidden = !model.me.avatar;
    };
    file.addEventListener('change', () => file.files[0] && busy(change, async () => {
      await take(await uploadPicture(file.files[0]));
    }));
    const keep = h('button', { type: 'submit', class: 'button primary' }, t('saveText'));
    const form = h('form', { class: 'body' }, h('div', { class: 'person' }, picture, h('span', { class: 'quiet ui' }, model.me.name), h('div', { class: 'pair' }, change, none), file),
      h('div', { class: 'field' }, h('label', { for: 'display-name' }, t('me.name')), name), h('button', { class: 'button', onclick: changePassword }, t('password')), keep);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      busy(keep, async () => {
        const user = await api.patch('me', { displayName: name.value.trim() }); if (user?.name) learn(user); toast(t('saved')); close();
      });
    });
    return form;
  });
}

/// Who has read one's own message.
export function receipts(message) {
  dialog(t('receipts'), t('close'), () => {
    const body = h('div', { class: 'body', tabindex: '0' }, spinner());
    const row = (name, time) => h('li', { class: 'option' }, personAvatar(person(name), 's36'), h('span', { class: 'grow cut' }, nameOf(person(name))), time && h('span', { class: 'small quiet' }, `${dayName(time)} ${clock(time)}`));
    api.get(`messages/${api.segment(message.id)}/receipts`).then(({ read, unread }) => body.replaceChildren(
      h('section', { class: 'section' }, h('h3', {}, t('receipts.read', { count: read.length })), h('ul', {}, read.map((each) => row(each.name, each.time)))),
      h('section', { class: 'section' }, h('h3', {}, t('receipts.unread', { count: unread.length })), h('ul', {}, unread.map((name) => row(name))))),
    (error) => body.replaceChildren(h('p', { class: 'error' }, error.message)));
    return body;
  });
}

// MARK: settings of this browser, and the devices that are signed in

function segments(name, label, options, value, run) {
  return h('div', { class: 'set' }, h('span', { id: `${name}-label` }, label),
    h('div', { class: 'segments', role: 'radiogroup', 'aria-labelledby': `${name}-label` }, options.map(([key, text]) => h('label', {}, h('input', { type: 'radio', name, value: key, checked: key === value, onchange: () => run(key) }), h('span', {}, text)))));
}

export async function settings() {
  const notify = isSecureContext && globalThis.Notification ? await import('./secure.js') : null;
  dialog(t('settings'), t('close'), (close) => {
    const devices = h('div', { class: 'section' }, h('h3', {}, t('devices')), spinner());
    const load = () => api.get('sessions').then(({ items }) => { devices.replaceChildren(h('h3', {}, t('devices')), ...items.map(device)); all.hidden = items.length < 2; }, (error) => devices.replaceChildren(h('h3', {}, t('devices')), h('p', { class: 'error ui' }, error.message)));
    const device = (each) => {
      const kind = t(`device.${each.device}`) === `device.${each.device}` ? each.device ?? each.id : t(`device.${each.device}`);
      const seen = each.isThis ? t('device.this') : each.lastSeen ? t('device.seen', { time: `${dayName(each.lastSeen)} ${clock(each.lastSeen)}` }) : t('device.unseen');
      const out = !each.isThis && h('button', { class: 'button', 'aria-label': t('device.signOut', { device: kind }), onclick: () => busy(out, async () => { await api.remove(`sessions/${api.segment(each.id)}`); await load(); toast(t('device.gone')); }) }, t('signOut'));
      return h('div', { class: 'set' }, h('div', { class: 'grow' }, h('div', { class: 'cut' }, kind), h('div', { class: 'small quiet' }, [seen, each.createdAt && t('device.since', { day: dayName(each.createdAt) })].filter(Boolean).join(' · '))), out);
    };
    load();
    const toggle = (name, isOn, run) => {
      const input = h('input', { type: 'checkbox', role: 'switch', class: 'switch', id: name, checked: isOn, onchange: () => run(input) });
      return h('div', { class: 'set' }, h('label', { for: name }, t(name)), input);
    };
    const tell = async (input) => {
      const isWanted = input.checked;
      input.checked = await notify.setTold(isWanted);
      if (isWanted && !input.checked) toast(t('notify.refused'));
    };
    const all = h('button', { class: 'button danger', onclick: async () => {
      if (await ask(t('devices.all'), t('devices.all.ask'), t('devices.all'), t('cancel'), true)) busy(all, async () => { await api.remove('sessions'); await load(); toast(t('devices.all.done')); });
    } }, t('devices.all'));
    return h('div', { class: 'body' },
      h('div', { class: 'section' }, segments('language', t('settings.language'), [['zh', '中文'], ['en', 'English']], language, async (code) => { close(); await turn(code); }),
        segments('scheme', t('settings.scheme'), schemes.map((name) => [name, t(`scheme.${name}`)]), scheme(), setScheme),
        notify && [toggle('notify.label', notify.wants.told(), tell), toggle('notify.mentions', notify.wants.mentions(), (input) => notify.setMentions(input.checked))]),
      !isSecureContext && h('button', { class: 'button', onclick: async () => (await import('./secure.js')).showSecure() }, icon('save'), t('secure.install')),
      devices, all, h('button', { class: 'button', onclick: () => { close(); signOut(); } }, t('signOut')));
  });
}
