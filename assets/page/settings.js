// Settings of this browser, and the devices that are signed in.

import * as api from './api.js';
import { ask, dialog, h, toast } from './dom.js';
import { dayName, language, t } from './i18n.js';
import { scheme, schemes, setScheme, signOut, turn } from './main.js';
import { busy } from './parts.js';

function segments(name, label, options, value, run) {
  return h('div', { class: 'set' }, h('span', { id: `${name}-label` }, label),
    h('div', { class: 'segments', role: 'radiogroup', 'aria-labelledby': `${name}-label` }, options.map(([key, text]) => h('label', {}, h('input', { type: 'radio', name, value: key, checked: key === value, onchange: () => run(key) }), h('span', {}, text)))));
}

export function settings() {
  dialog(t('settings'), t('close'), (close) => {
    const devices = h('div', { class: 'section' }, h('h3', {}, t('devices')), h('div', { class: 'spinner', role: 'progressbar', 'aria-label': t('busy') }));
    const load = () => api.get('sessions').then(({ items }) => devices.replaceChildren(h('h3', {}, t('devices')), ...items.map(device)), (error) => devices.replaceChildren(h('h3', {}, t('devices')), h('p', { class: 'error ui' }, error.message)));
    const device = (each) => h('div', { class: 'set' }, h('div', { class: 'grow' }, h('div', { class: 'cut' }, t(`device.${each.device}`) === `device.${each.device}` ? each.device ?? each.id : t(`device.${each.device}`)), h('div', { class: 'small quiet cut' }, each.isThis ? t('device.this') : each.lastSeen ? dayName(each.lastSeen) : '')),
      !each.isThis && h('button', { type: 'button', class: 'button', onclick: async () => { try { await api.remove(`sessions/${api.segment(each.id)}`); load(); } catch (error) { toast(error.message); } } }, t('signOut')));
    load();
    const all = h('button', { type: 'button', class: 'button danger', onclick: async () => {
      if (await ask(t('devices.all'), t('devices.all.ask'), t('devices.all'), t('cancel'), true)) busy(all, async () => { try { await api.remove('sessions'); load(); toast(t('saved')); } catch (error) { toast(error.message); } });
    } }, t('devices.all'));
    return h('div', { class: 'body' },
      h('div', { class: 'section' }, segments('language', t('settings.language'), [['zh', '中文'], ['en', 'English']], language, async (code) => { close(); await turn(code); }),
        segments('scheme', t('settings.scheme'), schemes.map((name) => [name, t(`scheme.${name}`)]), scheme(), setScheme)),
      !isSecureContext && h('div', { class: 'banner' }, h('span', {}, t('settings.insecure'), ' ', h('a', { href: '/ca.pem' }, t('settings.certificate')))),
      devices, all, h('button', { type: 'button', class: 'button', onclick: () => { close(); signOut(); } }, t('signOut')));
  });
}
