/** A timeout for the current phase of a call. Starting a phase ends the one before it. */
export class PhaseTimer {
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  readonly #onExpiry: () => void;

  constructor(onExpiry: () => void) {
    this.#onExpiry = onExpiry;
  }

  /** Starts a phase that may take this long. */
  start(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#ended) this.#timer = setTimeout(this.#onExpiry, milliseconds);
  }

  /** Stops the timeout while the provider is not being waited for, because the caller is slow to read. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Restarts the timeout of the current phase. */
  restart(): void {
    if (!this.#ended) this.#timer?.refresh();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }
}
