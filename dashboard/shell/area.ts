import type { ComponentType } from 'react';
import { loadPage } from '../load-page.ts';

/** The screens of an area, whose code arrives on the first visit or in advance. */
export class Area {
  /** Undefined until the code has arrived. */
  screens: ComponentType | undefined;
  readonly #import: () => Promise<{ default: ComponentType }>;
  #hasFailed = false;

  constructor(load: () => Promise<{ default: ComponentType }>) {
    this.#import = load;
  }

  /** Loads the code in advance. A failure is ignored: a visit loads it again and reports it. */
  prefetch(): void {
    void this.#load().catch(() => undefined);
  }

  /**
   * Loads the code for a visit. The browser does not repeat a module that failed to load: the visit after a failed one reloads
   * the page.
   */
  async visit(): Promise<ComponentType> {
    if (this.#hasFailed) return await loadPage();
    try {
      return await this.#load();
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  async #load(): Promise<ComponentType> {
    this.screens ??= (await this.#import()).default;
    return this.screens;
  }
}
