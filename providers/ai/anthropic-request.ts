import { type ChatRequest, type Message, type Part, TRANSLATED_FIELDS } from '../../contract/ai/chat.ts';
import { readImage } from '../../contract/ai/images.ts';
import { invalidField } from '../../contract/errors.ts';
import type { AdapterRequest, Prepared } from './adapter.ts';

/** The output limit if the caller sets none (specification, Notes for the model family). */
export const DEFAULT_MAX_TOKENS = 16_000;

const TRANSLATED: ReadonlySet<string> = new Set(TRANSLATED_FIELDS);

type Block =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: string; data: string } | { type: 'url'; url: string } };

function toImageBlock(url: string, field: string): Block {
  const image = readImage(url);
  if (typeof image === 'string') throw invalidField(`${field}.image_url.url`, image);
  if (image.kind === 'url') return { type: 'image', source: { type: 'url', url: image.url } };
  return { type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.base64 } };
}

function toBlock(part: Part, field: string): Block {
  if (part.type === 'text') return { type: 'text', text: part.text ?? '' };
  if (part.type === 'image_url') return toImageBlock(part.image_url?.url ?? '', field);
  throw invalidField(`${field}.type`, 'must be text or image_url for this model');
}

/** Converts a message's content to blocks. Drops text blocks of only white space, which Anthropic refuses. */
function toBlocks({ content }: Message, field: string): Block[] {
  const parts: Part[] = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return parts
    .map((part, index) => toBlock(part, `${field}.content.${index}`))
    .filter((block) => block.type !== 'text' || block.text.trim() !== '');
}

interface Conversation {
  system: Block[];
  messages: { role: 'user' | 'assistant'; content: Block[] }[];
}

/** Collects all system messages in the system prompt, in order. The other messages keep their order. */
function toConversation(request: ChatRequest): Conversation {
  const conversation: Conversation = { system: [], messages: [] };
  for (const [index, message] of request.messages.entries()) {
    const { role } = message;
    const field = `messages.${index}`;
    if (role === 'tool' || role === 'function') {
      throw invalidField(`${field}.role`, 'must be one of system, user, assistant: tool calling is not translated');
    }
    const content = toBlocks(message, field);
    if (content.length === 0) continue;
    if (role === 'user' || role === 'assistant') conversation.messages.push({ role, content });
    else if (content.some(({ type }) => type !== 'text')) throw invalidField(`${field}.content`, 'must be text');
    else conversation.system.push(...content);
  }
  if (conversation.messages.length === 0)
    throw invalidField('messages', 'must hold a message that is more than white space');
  return conversation;
}

/** Returns the paths of an object's members that are not translated. A member that is null counts as absent. */
const findDropped = (object: object, path: string, ...translated: string[]): string[] =>
  Object.entries(object)
    .filter(([member, value]) => value !== null && !translated.includes(member))
    .map(([member]) => `${path}.${member}`);

function findDroppedOfPart(part: Part): string[] {
  const path = 'messages.content';
  if (part.type === 'text') return findDropped(part, path, 'type', 'text');
  const dropped = findDropped(part, path, 'type', 'image_url');
  return [...dropped, ...findDropped(part.image_url ?? {}, `${path}.image_url`, 'url')];
}

/** Returns the paths that are dropped from the messages. Paths have no indexes, so that those of a long conversation fit a header. */
const findDroppedOfMessages = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) => {
    const parts = Array.isArray(message.content) ? message.content : [];
    return [...findDropped(message, 'messages', 'role', 'content'), ...parts.flatMap(findDroppedOfPart)];
  });

function outputLimitFor({ request, outputLimit, modelLimit }: AdapterRequest): number {
  const asked = outputLimit ?? request.max_completion_tokens ?? request.max_tokens;
  return asked ?? Math.min(DEFAULT_MAX_TOKENS, modelLimit ?? DEFAULT_MAX_TOKENS);
}

/** Translates a request to Anthropic's format. Throws 400 for what the format cannot express. */
export function prepareRequest(adapterRequest: AdapterRequest): Prepared {
  const { request, upstream } = adapterRequest;
  const { system, messages } = toConversation(request);
  const stops = [request.stop ?? []].flat();
  // Anthropic refuses stop sequences of only white space.
  const usable = stops.filter((stop) => stop.trim() !== '');
  const body = {
    model: upstream,
    max_tokens: outputLimitFor(adapterRequest),
    ...(system.length > 0 ? { system } : {}),
    messages,
    ...(usable.length > 0 ? { stop_sequences: usable } : {}),
    ...(request.stream ? { stream: true } : {}),
  };
  const dropped = Object.keys(request).filter((field) => request[field] !== null && !TRANSLATED.has(field));
  if (usable.length < stops.length) dropped.push('stop');
  const ignored = [...dropped, ...new Set(findDroppedOfMessages(request.messages))];
  return { path: '/v1/messages', body: JSON.stringify(body), ignored };
}
