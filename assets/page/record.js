// Voice: recorded in the browser, where it lets a page use the microphone, and the choice of a loudspeaker.

import { h, icon, menu, say, toast, tool } from './dom.js';
import { moreTexts, t } from './i18n.js';
import { addUploads } from './uploads.js';

await moreTexts();

const types = { opus: [['audio/webm;codecs=opus', 'webm'], ['audio/ogg;codecs=opus', 'ogg']], m4a: [['audio/mp4', 'm4a']] };
const shortest = 700;
const bars = 40;
const length = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/// Type and ending of what this browser records, by the order of the operator; `undefined` for none.
const typeOf = (names) => names.flatMap((name) => types[name] ?? []).find(([type]) => globalThis.MediaRecorder?.isTypeSupported(type));

/// Records in place of `box` until it is sent or given up.
export async function record({ id, box, options }) {
  if (!isSecureContext) { (await import('./secure.js')).showSecure(t('secure.voice')); return; }
  const type = typeOf(options.recordingTypes);
  if (!type || !navigator.mediaDevices?.getUserMedia) { toast(t('voice.none')); return; }
  let stream;
  try { stream = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: true, noiseSuppression: true } }); } catch (error) {
    toast(t(error.name === 'NotFoundError' ? 'voice.noMicrophone' : 'voice.refused'));
    return;
  }
  const recorder = new MediaRecorder(stream, { mimeType: type[0], audioBitsPerSecond: 32_000 });
  const pieces = [];
  const began = Date.now();
  const seconds = () => (Date.now() - began) / 1000;
  const context = new AudioContext();
  const meter = context.createAnalyser();
  meter.fftSize = 256;
  context.createMediaStreamSource(stream).connect(meter);
  const samples = new Uint8Array(meter.fftSize);
  const time = h('span', { class: 'ui' }, length(0));
  const waves = h('span', { class: 'waves grow', 'aria-hidden': 'true' });
  let isWanted = false;
  const strip = h('div', { class: 'box recording', role: 'group', 'aria-label': t('voice.recording') }, tool('bin', t('voice.discard'), () => end(false)), h('span', { class: 'lamp', 'aria-hidden': 'true' }), time, waves, h('span', { class: 'small quiet' }, `/ ${length(options.recordingSeconds)}`), tool('send', t('voice.send'), () => end(true), { class: 'tool go' }));
  const tick = setInterval(() => {
    time.textContent = length(seconds());
    meter.getByteTimeDomainData(samples);
    const loud = Math.min(1, Math.max(...samples.map((each) => Math.abs(each - 128))) / 64);
    const bar = h('i', {});
    bar.style.height = `${4 + Math.round(loud * 24)}px`;
    waves.append(bar);
    while (waves.children.length > bars) waves.firstChild.remove();
    if (seconds() >= options.recordingSeconds) end(true);
  }, 100);
  const end = (wanted) => { isWanted = wanted; if (recorder.state !== 'inactive') recorder.stop(); };
  recorder.ondataavailable = ({ data }) => { if (data.size) pieces.push(data); };
  recorder.onstop = () => {
    clearInterval(tick);
    for (const track of stream.getTracks()) track.stop();
    context.close();
    const lasted = Math.min(seconds(), options.recordingSeconds);
    strip.remove();
    box.hidden = false;
    box.querySelector('button')?.focus();
    if (!isWanted) return;
    if (lasted * 1000 < shortest) { toast(t('voice.short')); return; }
    const name = `voice-${new Date().toISOString().replace(/\D/g, '').slice(0, 14)}.${type[1]}`;
    addUploads(id, [new File(pieces, name, { type: type[0].split(';')[0] })], { kind: 'voice', details: { seconds: Math.max(1, Math.round(lasted)) } });
  };
  strip.addEventListener('keydown', (event) => { if (event.key === 'Escape') { event.preventDefault(); end(false); } });
  box.hidden = true;
  box.after(strip);
  recorder.start(1000);
  strip.querySelector('.go').focus();
  say(t('voice.recording'));
  // Gone with the conversation: nothing goes on listening.
  new MutationObserver((_, watcher) => { if (!strip.isConnected) { watcher.disconnect(); end(false); } }).observe(document.getElementById('app'), { childList: true, subtree: true });
}

/// A button that chooses where a player is heard, when there is more than one place.
export async function outputChoice(player, after) {
  if (!player.setSinkId || !navigator.mediaDevices?.enumerateDevices) return;
  const found = (await navigator.mediaDevices.enumerateDevices()).filter((each) => each.kind === 'audiooutput' && each.label);
  if (found.length < 2) return;
  const button = tool('speaker', t('voice.output'), () => menu(button, found.map((each) => ({ icon: player.sinkId === each.deviceId ? 'check' : undefined, label: each.label, run: () => player.setSinkId(each.deviceId).catch((error) => toast(error.message)) })), t('voice.output')));
  after.append(button);
}

/// Tells a place on the map: typed, or asked of the browser where it may be.
export function placeForm(dialog, send) {
  dialog(t('place.title'), t('close'), (close) => {
    const field = (id, label, more) => h('div', { class: 'field' }, h('label', { for: id }, label), h('input', { id, class: 'input', ...more }));
    const form = h('form', { class: 'body' }, field('place-title', t('place.name'), { maxlength: '100' }),
      field('place-latitude', t('place.latitude'), { type: 'number', step: 'any', min: '-90', max: '90', required: true }),
      field('place-longitude', t('place.longitude'), { type: 'number', step: 'any', min: '-180', max: '180', required: true }),
      isSecureContext && navigator.geolocation && h('button', { class: 'button', onclick: () => navigator.geolocation.getCurrentPosition(({ coords }) => {
        form.elements['place-latitude'].value = coords.latitude.toFixed(6);
        form.elements['place-longitude'].value = coords.longitude.toFixed(6);
      }, (error) => toast(error.message)) }, icon('place'), t('place.here')),
      h('button', { type: 'submit', class: 'button primary' }, t('send')));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const value = (id) => form.elements[id].value.trim();
      send({ latitude: Number(value('place-latitude')), longitude: Number(value('place-longitude')), ...(value('place-title') ? { title: value('place-title') } : {}) });
      close();
    });
    return form;
  });
}
