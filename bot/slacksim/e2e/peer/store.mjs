// What the peer keeps in Redis: for every thread its state as one JSON string and its
// transcript as a list; the events it has seen; and a lock, so that two processes do not
// work on one thread at once. Messages of one thread queue in the process first, so that
// the lock is hardly ever waited for.
import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';

const DAY = 24 * 60 * 60;
const KEPT = 30 * DAY; // seconds
const SEEN = DAY; // seconds; Slack repeats an event within minutes
const LOCK = 30_000; // ms
const RECENT = 12; // transcript entries that an answer may look at
const UNLOCK = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Store {
  #redis;
  #queues = new Map(); // thread → the last of its promises

  constructor(url) {
    this.#redis = createClient({ url });
    this.#redis.on('error', (err) => console.error('redis:', err.message));
  }

  async connect() {
    await this.#redis.connect();
  }

  async close() {
    await this.#redis.close();
  }

  /** Tells whether a thread has a discussion. */
  async knows(thread) {
    return (await this.#redis.exists(`peer:state:${thread}`)) === 1;
  }

  /** The threads of a channel's open discussions, as [thread, topic]. */
  async list(channel) {
    return Object.entries(await this.#redis.hGetAll(`peer:open:${channel}`));
  }

  /**
   * Runs `work(state, recent)` with a thread's state (null if there is none) while
   * nobody else does. It returns the new state and what to append to the transcript, or
   * nothing to leave everything as it is. An event that was seen before is not worked on.
   */
  async change(thread, event, work) {
    const before = this.#queues.get(thread) ?? Promise.resolve();
    const mine = before.catch(() => {}).then(() => this.#locked(thread, event, work));
    this.#queues.set(thread, mine);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(thread) === mine) this.#queues.delete(thread);
    }
  }

  async #locked(thread, event, work) {
    const lock = `peer:lock:${thread}`;
    const token = randomUUID();
    const key = `peer:state:${thread}`;
    const log = `peer:log:${thread}`;
    // Commands of one tick travel together; Redis answers them in order, so what is
    // read was read under the lock if the lock was given.
    let [fresh, given, raw, recent] = await Promise.all([
      this.#redis.set(`peer:seen:${event}`, '1', { condition: 'NX', expiration: { type: 'EX', value: SEEN } }),
      this.#redis.set(lock, token, { condition: 'NX', expiration: { type: 'PX', value: LOCK } }),
      this.#redis.get(key),
      this.#redis.lRange(log, -RECENT, -1),
    ]);
    while (!given) {
      await pause(20);
      [given, raw, recent] = await Promise.all([
        this.#redis.set(lock, token, { condition: 'NX', expiration: { type: 'PX', value: LOCK } }),
        this.#redis.get(key),
        this.#redis.lRange(log, -RECENT, -1),
      ]);
    }
    const unlock = { keys: [lock], arguments: [token] };
    try {
      const done = fresh && (await work(raw && JSON.parse(raw), recent.map((entry) => JSON.parse(entry))));
      if (!done) {
        await this.#redis.eval(UNLOCK, unlock);
        return;
      }
      const { state, said = [] } = done;
      const all = this.#redis.multi().set(key, JSON.stringify(state), { expiration: { type: 'EX', value: KEPT } });
      if (said.length > 0) all.rPush(log, said.map((entry) => JSON.stringify(entry))).expire(log, KEPT);
      if (!raw) all.hSet(`peer:open:${state.channel}`, state.thread, state.topic);
      if (state.closed) all.hDel(`peer:open:${state.channel}`, state.thread);
      await all.eval(UNLOCK, unlock).exec();
    } catch (err) {
      await this.#redis.eval(UNLOCK, unlock).catch(() => {});
      throw err;
    }
  }
}
