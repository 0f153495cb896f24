import { isObject } from '../../contract/json.ts';
import type { Usage } from './usage.ts';

/** Reading what Anthropic sends: parts that may be missing or null, and numbers that count up. */

/** A member that is an object; an empty one otherwise. */
export function objectAt(value: unknown, key: string): Record<string, unknown> {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

export const textAt = (value: unknown, key: string): string | undefined => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
};

/** Why an answer ended, in the words of chat completions (design, section 4). */
export function toFinishReason(stop: string | undefined): 'stop' | 'length' | 'content_filter' | 'tool_calls' {
  switch (stop) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content_filter';
    case 'tool_use':
      return 'tool_calls';
    default:
      return 'stop';
  }
}

const FIELDS = {
  input: 'input_tokens',
  cached: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
  output: 'output_tokens',
} as const;

/** Usage as it becomes known: each report is cumulative, and what it leaves out or gives as null stays as it was. */
export class UsageTally {
  readonly #known: Partial<Usage> = {};

  add(usage: unknown): void {
    if (!isObject(usage)) return;
    for (const [kind, field] of Object.entries(FIELDS)) {
      const count = usage[field];
      if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) {
        Object.assign(this.#known, { [kind]: count });
      }
    }
  }

  /** The prompt's usage, once it is known; its cached part is 0 where the provider reported none. */
  get prompt(): Omit<Usage, 'output'> | undefined {
    const { input, cached = 0, cacheWrite = 0 } = this.#known;
    return input === undefined ? undefined : { input, cached, cacheWrite };
  }

  get output(): number | undefined {
    return this.#known.output;
  }
}
