import { isLeftOut } from '../../contract/ai/credit-fields.ts';
import type { AdapterRequest, Prepared } from './adapter.ts';
import { isAmbiguous, setMembers } from './json-splice.ts';

/**
 * The body that is sent under the platform's own key: it says nothing but what was checked, with one output limit. A text in
 * which another parser could read something else is written again.
 */
function writeBody(
  { request, provider, upstream, outputLimit, text }: AdapterRequest,
  changes: Record<string, unknown>,
): string {
  const isSent = ([field, value]: [string, unknown]) => value !== null && !isLeftOut(field);
  const absent = Object.entries(request).filter((entry) => !isSent(entry));
  const rewritten = () => JSON.stringify(Object.fromEntries(Object.entries(request).filter(isSent)));
  const values = {
    ...Object.fromEntries(absent.map(([field]) => [field, undefined])),
    ...{ max_tokens: undefined, max_completion_tokens: undefined },
    ...{ model: upstream, ...changes, [provider.limitField]: outputLimit },
  };
  return setMembers(isAmbiguous(text) ? rewritten() : text, values);
}

/** The messages without their reasoning, for a provider that refuses it; nothing where there is none. */
function takenMessages({ request: { messages }, provider }: AdapterRequest): Record<string, unknown> {
  if (provider.takesReasoning || !messages.some((message) => 'reasoning_content' in message)) return {};
  return { messages: messages.map((message) => ({ ...message, reasoning_content: undefined })) };
}

/** The request as it came, with the model as its provider names it; on credits, only what was checked of it. */
export function prepareRequest(ask: AdapterRequest): Prepared {
  const { request, provider } = ask;
  const usage = request.stream && provider.takesStreamOptions;
  const stream_options = usage ? { ...request.stream_options, include_usage: true } : undefined;
  const changes = { ...(request.stream ? { stream_options } : {}), ...takenMessages(ask) };
  const path = '/chat/completions';
  if (ask.outputLimit === undefined)
    return { path, body: setMembers(ask.text, { model: ask.upstream, ...changes }), ignored: [] };
  return { path, body: writeBody(ask, changes), ignored: Object.keys(request).filter(isLeftOut) };
}
