/** Finish reasons of providers that use the format of chat completions but not only its finish reasons. */

/** Reasons with which a provider interrupts an answer (Mistral, DeepSeek). It is a failure, like a connection that breaks off. */
const FAILURES = { error: 'failed', insufficient_system_resource: 'overloaded' } as const;

/** Returns true for a finish reason with which a provider interrupts an answer. */
export const isFailure = (reason: unknown): reason is keyof typeof FAILURES =>
  typeof reason === 'string' && Object.hasOwn(FAILURES, reason);

/** Returns the kind of failure that a finish reason reports; undefined if the answer is not interrupted. */
export const failureOf = (reason: unknown): 'failed' | 'overloaded' | undefined =>
  isFailure(reason) ? FAILURES[reason] : undefined;

/** Other names of reasons, by provider: Together, xAI, Mistral. */
const NAMES: Readonly<Record<string, string>> = { eos: 'stop', end_turn: 'stop', model_length: 'length' };

/** Returns the name of a finish reason in the format. Google appends details: `content_filter: RECITATION`. */
export function standardReason(reason: string): string {
  if (/^(content|function_call)_filter\b/.test(reason)) return 'content_filter';
  return Object.hasOwn(NAMES, reason) ? (NAMES[reason] ?? reason) : reason;
}
