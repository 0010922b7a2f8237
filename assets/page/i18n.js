// Texts in the reader's language, and how times and sizes are written there.

let texts = {};
export let language = 'en';

const wanted = () => localStorage.getItem('teahouse.language')
  ?? (navigator.languages.find((code) => /^(zh|en)/i.test(code))?.toLowerCase().startsWith('zh') ? 'zh' : 'en');

let hasMore = false;
const read = async (name) => (await fetch(new URL(`${name}.json`, import.meta.url))).json();

/// Texts of what is not on the first screen; a module that shows them waits for this before anything else.
export async function moreTexts() {
  if (hasMore) return;
  const more = await read(`${language}-more`);
  hasMore = true;
  Object.assign(texts, more);
}

export async function loadTexts(code = wanted()) {
  language = code === 'zh' ? 'zh' : 'en';
  texts = { ...await read(language), ...(hasMore ? await read(`${language}-more`) : {}) };
  document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';
}

export function setLanguage(code) {
  localStorage.setItem('teahouse.language', code);
  return loadTexts(code);
}

/// The text of a key with its places filled in; `count` chooses the singular where there is one.
export function t(key, places = {}) {
  const text = (places.count === 1 && texts[`${key}.one`]) || texts[key] || key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole);
}

const formats = new Map();
function format(options) {
  const key = language + JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', options));
  return formats.get(key);
}

const day = (time) => new Date(time).toDateString();
export const sameDay = (one, other) => day(one) === day(other);
export const clock = (time) => format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(time);
export const fullTime = (time) => format({ dateStyle: 'long', timeStyle: 'short' }).format(time);

export function dayName(time) {
  const now = Date.now();
  if (sameDay(time, now)) return t('day.today');
  if (sameDay(time, now - 864e5)) return t('day.yesterday');
  if (now - time < 6 * 864e5 && time < now) return format({ weekday: 'long' }).format(time);
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return format({ month: 'long', day: 'numeric', ...(sameYear ? {} : { year: 'numeric' }) }).format(time);
}

/// As short as a list has room for.
export function shortTime(time) {
  const now = Date.now();
  if (sameDay(time, now)) return clock(time);
  if (sameDay(time, now - 864e5)) return t('day.yesterday');
  if (now - time < 6 * 864e5 && time < now) return format({ weekday: 'short' }).format(time);
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear();
  return format(sameYear ? { month: 'short', day: 'numeric' } : { year: 'numeric', month: 'numeric', day: 'numeric' }).format(time);
}

export function size(bytes) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let at = 0;
  let value = bytes;
  while (value >= 1000 && at < units.length - 1) { value /= 1000; at += 1; }
  return `${at && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
}
