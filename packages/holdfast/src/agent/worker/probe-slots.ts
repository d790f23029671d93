/** For whom a probe is made. */
export interface SlotUser {
  readonly namespace: string;
  /** Its uid. */
  readonly pod: string;
}

interface Waiter extends SlotUser {
  readonly enter: () => void;
}

/** Of one pod: it may have many containers, and the author of their probes also sets their timeouts. */
const maxPerPod = 4;

/**
 * So many probes at the same time, shared fairly: one pod has few of them, and a namespace may take another one only while it holds
 * fewer than are free. So one namespace can hold half of them, a second half of the rest, and one is always left for
 * another namespace. Waiting probes get slots in turn, namespace by namespace.
 */
export class ProbeSlots {
  readonly #limit: number;
  /** Namespaces are in the order in which they are served next. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  readonly #byNamespace = new Map<string, number>();
  readonly #byPod = new Map<string, number>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Undefined: given up before its turn came. */
  async run<T>(user: SlotUser, signal: AbortSignal, task: () => Promise<T>): Promise<T | undefined> {
    if (this.#hasRoom(user)) this.#take(user);
    else if (!(await this.#turn(user, signal))) return undefined;
    try {
      return signal.aborted ? undefined : await task();
    } finally {
      this.#release(user);
    }
  }

  /** How many wait, by namespace. */
  waiting(): ReadonlyMap<string, number> {
    return new Map([...this.#waiting].map(([namespace, waiters]) => [namespace, waiters.size]));
  }

  #hasRoom({ namespace, pod }: SlotUser): boolean {
    const free = this.#limit - this.#taken;
    return (this.#byNamespace.get(namespace) ?? 0) < free && (this.#byPod.get(pod) ?? 0) < maxPerPod;
  }

  #take({ namespace, pod }: SlotUser): void {
    this.#taken += 1;
    add(this.#byNamespace, namespace, 1);
    add(this.#byPod, pod, 1);
  }

  #turn(user: SlotUser, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = () => {
        this.#leave(waiter);
        resolve(false);
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const waiter = { ...user, enter };
      signal.addEventListener('abort', leave, { once: true });
      const others = this.#waiting.get(user.namespace);
      if (others === undefined) this.#waiting.set(user.namespace, new Set([waiter]));
      else others.add(waiter);
    });
  }

  #leave(waiter: Waiter): void {
    const waiters = this.#waiting.get(waiter.namespace);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(waiter.namespace);
  }

  #release({ namespace, pod }: SlotUser): void {
    this.#taken -= 1;
    add(this.#byNamespace, namespace, -1);
    add(this.#byPod, pod, -1);
    while (this.#admitNext());
  }

  /** One of the namespace whose turn it is, which then goes to the end of the line. */
  #admitNext(): boolean {
    for (const [namespace, waiters] of this.#waiting) {
      for (const waiter of waiters) {
        if (!this.#hasRoom(waiter)) continue;
        this.#leave(waiter);
        this.#take(waiter);
        const rest = this.#waiting.get(namespace);
        this.#waiting.delete(namespace);
        if (rest !== undefined) this.#waiting.set(namespace, rest);
        waiter.enter();
        return true;
      }
    }
    return false;
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
