// The events of the server: a WebSocket that comes back by itself, and long-poll where no WebSocket gets through.

import * as api from './api.js';

const longestWait = 30_000;
const pingEvery = 20_000;
const pongWithin = 10_000;

export class Feed {
  /// `handlers`: event(value), state('online' | 'connecting' | 'offline' | 'taken', retryAt).
  constructor(cursor, handlers) {
    Object.assign(this, { cursor, handlers, failures: 0, opened: false, stopped: false, socket: null, timers: new Set(), polling: false });
    this.wake = () => { if (document.visibilityState === 'visible' && !this.isOnline && !this.isTaken) this.retryNow(); };
    addEventListener('online', this.wake);
    document.addEventListener('visibilitychange', this.wake);
    this.connect();
  }

  get isOnline() { return this.live === true; }

  stop() {
    this.stopped = true;
    removeEventListener('online', this.wake);
    document.removeEventListener('visibilitychange', this.wake);
    this.drop();
  }

  /// Forgets the connection and its timers.
  drop() {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.poll?.abort();
    const socket = this.socket;
    this.socket = null;
    this.live = false;
    if (socket) { socket.onopen = socket.onmessage = socket.onclose = socket.onerror = null; socket.close(); }
  }

  timer(milliseconds, run) {
    const id = setTimeout(() => { this.timers.delete(id); run(); }, milliseconds);
    this.timers.add(id);
    return id;
  }

  retryNow() { if (!this.stopped) { this.isTaken = false; this.drop(); this.connect(); } }

  connect() {
    this.handlers.state('connecting');
    if (this.polling) { this.longPoll(); return; }
    const address = new URL('/api/v1/events', location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address, 'teahouse.v2');
    this.socket = socket;
    this.opened = false;
    const patience = this.timer(15_000, () => this.lost());
    socket.onopen = () => {
      this.opened = true;
      socket.send(JSON.stringify({ token: api.getToken(), ...(this.cursor ? { after: this.cursor } : {}) }));
    };
    socket.onmessage = ({ data }) => {
      const value = JSON.parse(data);
      if (value.hello) {
        clearTimeout(patience);
        this.failures = 0;
        if (!this.cursor) this.cursor = value.hello.cursor;
        this.online();
        this.beat(socket);
      } else if ('pong' in value) {
        clearTimeout(this.pongTimer);
      } else if (value.type) {
        this.take(value);
      }
    };
    socket.onclose = (event) => (event.code === 1008 && /taken-over|kicked/.test(event.reason) ? this.taken() : this.lost());
  }

  beat(socket) {
    this.timer(pingEvery, () => {
      if (socket !== this.socket) return;
      this.send({ ping: Date.now() });
      this.pongTimer = this.timer(pongWithin, () => this.lost());
      this.beat(socket);
    });
  }

  online() {
    this.live = true;
    this.handlers.state('online');
  }

  take(event) {
    if (event.cursor !== undefined) {
      if (event.cursor === this.cursor) return;
      this.cursor = event.cursor;
    }
    this.handlers.event(event);
  }

  send(frame) {
    if (this.socket?.readyState === WebSocket.OPEN && this.live) this.socket.send(JSON.stringify(frame));
  }

  /// Another page or device has this one's place: coming back by itself would only take it away there.
  taken() {
    this.drop();
    this.isTaken = true;
    api.get('session').catch(() => {});
    this.handlers.state('taken');
  }

  /// Waits longer after each failure, each page a time of its own, so that they do not all come back at once.
  lost() {
    const neverOpened = !this.opened;
    this.drop();
    if (this.stopped) return;
    this.failures += 1;
    // The token may have ended, or a proxy lets no WebSocket through: a plain request tells.
    api.get('session').then(() => { if (neverOpened && this.failures >= 3) this.polling = true; }, () => {});
    const wait = Math.min(longestWait, 500 * 2 ** Math.min(this.failures, 7)) * (0.5 + Math.random() / 2);
    this.handlers.state('offline', Date.now() + wait);
    this.timer(wait, () => this.connect());
  }

  async longPoll() {
    this.poll = new AbortController();
    const { signal } = this.poll;
    let wait = 0;
    try {
      while (!this.stopped && !signal.aborted) {
        const answer = await api.get(`events${api.query({ after: this.cursor, wait })}`, { signal, isWait: true });
        if (!this.live) { this.failures = 0; this.online(); }
        for (const event of answer.items) this.take(event);
        this.cursor = answer.cursor;
        wait = 25;
      }
    } catch {
      if (!signal.aborted) this.lost();
    }
  }
}
