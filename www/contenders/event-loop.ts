/** Lets the event loop go round, by a message: unlike a timer, it isn't held back, least of all in a hidden page. */
export class EventLoop {
  readonly #channel = new MessageChannel();
  #waiting: (() => void)[] = [];

  constructor() {
    this.#channel.port1.onmessage = () => {
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const resolve of waiting) resolve();
    };
  }

  /** Resolves once all microtasks have run, those included that others have started until then. */
  turn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#channel.port2.postMessage(null);
    });
  }

  /** A port that is still listened to would keep its program alive. */
  close(): void {
    this.#channel.port1.close();
  }
}
