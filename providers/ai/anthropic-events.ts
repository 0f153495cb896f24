import { isObject } from '../../contract/json.ts';
import type { Usage } from './usage.ts';

/** Readers for Anthropic's events, whose members may be missing or null and whose token counts are cumulative. */

/** Returns a member that is an object; an empty object for anything else. */
export function objectAt(value: unknown, key: string): Record<string, unknown> {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

/** Returns a member that is a string; undefined for anything else. */
export const textAt = (value: unknown, key: string): string | undefined => {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
};

/** Converts Anthropic's stop reason to the finish reason of chat completions. */
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

/** The usage reported so far. Each report is cumulative; a count that it omits or sends as null keeps its value. */
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

  /** The prompt's usage, once it is known; a cache count that the provider did not report is 0. */
  get prompt(): Omit<Usage, 'output'> | undefined {
    const { input, cached = 0, cacheWrite = 0 } = this.#known;
    return input === undefined ? undefined : { input, cached, cacheWrite };
  }

  get output(): number | undefined {
    return this.#known.output;
  }
}
