// Settings of this browser, and the devices that are signed in.

import * as api from './api.js';
import { ask, dialog, h, toast } from './dom.js';
import { clock, dayName, language, moreTexts, t } from './i18n.js';
import { scheme, schemes, setScheme, signOut, turn } from './main.js';
import { busy } from './parts.js';

await moreTexts();

function segments(name, label, options, value, run) {
  return h('div', { class: 'set' }, h('span', { id: `${name}-label` }, label),
    h('div', { class: 'segments', role: 'radiogroup', 'aria-labelledby': `${name}-label` }, options.map(([key, text]) => h('label', {}, h('input', { type: 'radio', name, value: key, checked: key === value, onchange: () => run(key) }), h('span', {}, text)))));
}

export function settings() {
  dialog(t('settings'), t('close'), (close) => {
    const devices = h('div', { class: 'section' }, h('h3', {}, t('devices')), h('div', { class: 'spinner', role: 'progressbar', 'aria-label': t('busy') }));
    const load = () => api.get('sessions').then(({ items }) => { devices.replaceChildren(h('h3', {}, t('devices')), ...items.map(device)); all.hidden = items.length < 2; }, (error) => devices.replaceChildren(h('h3', {}, t('devices')), h('p', { class: 'error ui' }, error.message)));
    const device = (each) => {
      const kind = t(`device.${each.device}`) === `device.${each.device}` ? each.device ?? each.id : t(`device.${each.device}`);
      const seen = each.isThis ? t('device.this') : each.lastSeen ? t('device.seen', { time: `${dayName(each.lastSeen)} ${clock(each.lastSeen)}` }) : t('device.unseen');
      const out = !each.isThis && h('button', { type: 'button', class: 'button', 'aria-label': t('device.signOut', { device: kind }), onclick: () => busy(out, async () => { try { await api.remove(`sessions/${api.segment(each.id)}`); await load(); toast(t('device.gone')); } catch (error) { toast(error.message); } }) }, t('signOut'));
      return h('div', { class: 'set' }, h('div', { class: 'grow' }, h('div', { class: 'cut' }, kind), h('div', { class: 'small quiet' }, [seen, each.createdAt && t('device.since', { day: dayName(each.createdAt) })].filter(Boolean).join(' · '))), out);
    };
    load();
    const all = h('button', { type: 'button', class: 'button danger', onclick: async () => {
      if (await ask(t('devices.all'), t('devices.all.ask'), t('devices.all'), t('cancel'), true)) busy(all, async () => { try { await api.remove('sessions'); await load(); toast(t('devices.all.done')); } catch (error) { toast(error.message); } });
    } }, t('devices.all'));
    return h('div', { class: 'body' },
      h('div', { class: 'section' }, segments('language', t('settings.language'), [['zh', '中文'], ['en', 'English']], language, async (code) => { close(); await turn(code); }),
        segments('scheme', t('settings.scheme'), schemes.map((name) => [name, t(`scheme.${name}`)]), scheme(), setScheme)),
      !isSecureContext && h('div', { class: 'banner' }, h('span', {}, t('settings.insecure'), ' ', h('a', { href: '/ca.pem' }, t('settings.certificate')))),
      devices, all, h('button', { type: 'button', class: 'button', onclick: () => { close(); signOut(); } }, t('signOut')));
  });
}
