/** A timer for the phases of a call, one at a time. */
export class PhaseTimer {
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  readonly #late: () => void;

  constructor(late: () => void) {
    this.#late = late;
  }

  waitFor(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (!this.#ended) this.#timer = setTimeout(this.#late, milliseconds);
  }

  /** Nothing is waited for: it is the caller who takes their time. */
  rest(): void {
    clearTimeout(this.#timer);
  }

  /** It came; the same time begins again. */
  heard(): void {
    if (!this.#ended) this.#timer?.refresh();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }
}
