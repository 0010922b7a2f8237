// The settings of conversations as decisions: what the operator set, else what is built in.

import * as api from './api.js';
import { language, t } from './i18n.js';
import { changed, model } from './model.js';

const buttons = ['voice', 'text', 'emoji', 'more'];
const items = ['album', 'camera', 'file', 'location', 'card', 'custom'];
const recordings = ['opus', 'm4a', 'mp3', 'amr', 'wav'];
/// Characters of a text where nobody says how many.
const usualCharacters = 5000;
const longestPage = 100;

const number = (value, least, most, otherwise) => (Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise);
const flag = (value, otherwise) => (typeof value === 'boolean' ? value : otherwise);
const words = (value, known) => (Array.isArray(value) ? [...new Set(value)].filter((each) => known.includes(each)) : known);

function characters(value) {
  const most = model.limits.textCharacters || usualCharacters;
  return value === 0 ? most : Math.min(most, number(value, 1, 100_000, usualCharacters));
}

/// What holds in a conversation for who is signed in.
export function optionsOf(id) {
  const conversation = model.conversations.get(id);
  const isDirect = conversation?.kind === 'direct';
  const set = { ...model.configuration, ...(isDirect ? { show_name: false } : {}), ...model.configurations.get(id) };
  const hidden = words(set.menu_hidden ?? [], items);
  const kinds = Array.isArray(set.allowed_kinds) && set.allowed_kinds.length ? new Set(set.allowed_kinds) : null;
  const allows = (kind) => !kinds || kinds.has(kind);
  const isPossible = { album: allows('picture') || allows('video'), camera: allows('picture') || allows('video'), file: allows('file'), location: allows('place'), card: allows('card'), custom: false };
  return {
    textCharacters: characters(set.max_input),
    placeholder: set[language === 'zh' ? 'placeholder.zh-Hans' : 'placeholder.en'] || t('compose.placeholder'),
    buttons: words(set.input_buttons, buttons).filter((each) => !['voice', 'text'].includes(each) || allows(each)),
    items: words(set.menu_items, items).filter((each) => isPossible[each] && !hidden.includes(each)),
    allows,
    pageSize: number(set.page_size, 1, longestPage, 50),
    timeGap: number(set.time_gap, 0, 86_400, 300) * 1000,
    fetchesOnEntry: flag(set.fetch_on_entry, true),
    recordingSeconds: number(set.recording_seconds, 1, 3600, 60),
    recordingTypes: words(set.recording_types, recordings),
    marksUnplayed: flag(set.unread_dot_on_voice, true),
    choosesOutput: flag(set.output_choice, true),
    autoPlays: flag(set.auto_play, false),
    avatars: flag(set.show_avatar, true) ? (set.avatar_of === 'all' ? 'all' : 'others') : 'none',
    showsNames: flag(set.show_name, !isDirect),
    isCompact: set.layout === 'compact',
    showsReaders: set.receipts === 'small' ? (conversation?.memberCount ?? 2) <= number(set.receipts_team_size, 2, 100_000, 50) : set.receipts !== 'off',
  };
}

/// Reads what holds in a conversation; it is known then, and views of it are drawn again when it is otherwise than before.
export async function loadOptions(id) {
  const { configuration } = await api.get(`conversations/${api.segment(id)}/configuration`);
  const isNew = JSON.stringify(configuration) !== JSON.stringify(model.configurations.get(id));
  model.configurations.set(id, configuration);
  if (isNew) { changed(`conversation:${id}`); changed(`messages:${id}`); }
}
