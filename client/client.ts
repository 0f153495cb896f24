import { readJson } from './body.ts';
import {
  type ChatCompletion,
  type ChatCompletionChunk,
  type CreateChatCompletionInput,
  OPERATIONS,
  type Operations,
} from './operations.generated.ts';
import { List, type Page } from './pages.ts';
import { type CallOptions, type ClientOptions, Sender } from './request.ts';
import { readChunks, readCompletion } from './stream.ts';

/** Longer than the 120 seconds within which the platform starts every response. A call that is cut off earlier is still charged. */
const CHAT_TIMEOUT_MS = 125_000;

type Result<Operation> = Operation extends { shape: 'list'; result: infer Item }
  ? List<Item>
  : Operation extends { result: infer Value }
    ? Promise<Value>
    : never;

type Method<Operation> = Operation extends { input: infer Input; optional: true }
  ? (input?: Input, options?: CallOptions) => Result<Operation>
  : Operation extends { input: infer Input }
    ? (input: Input, options?: CallOptions) => Result<Operation>
    : never;

/** A method for each operation. Path parameters, query parameters and body fields are passed in one object. */
export type Methods = { readonly [Id in keyof Operations]: Method<Operations[Id]> };

export interface Client extends Methods {
  /** Creates a chat completion. With `stream: true`, the result is a stream of chunks. */
  createChatCompletion(
    input: CreateChatCompletionInput & { stream: true },
    options?: CallOptions,
  ): Promise<AsyncGenerator<ChatCompletionChunk, void, undefined>>;
  createChatCompletion(
    input: CreateChatCompletionInput & { stream?: false | null | undefined },
    options?: CallOptions,
  ): Promise<ChatCompletion>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Splits an operation's input into path, query and body. For a deletion, adds the result to return if the resource is already gone. */
export function toRequest(id: keyof Operations, input: Fields) {
  const { method, path, query, deletion } = OPERATIONS[id];
  const remaining = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (name: string): string => {
    const value = remaining.get(name);
    remaining.delete(name);
    return String(value);
  };
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!remaining.has(name)) throw new TypeError(`${id}: ${name} is required`);
    return encodeURIComponent(take(name));
  });
  const parameters = query.filter((name) => remaining.has(name)).map((name): [string, string] => [name, take(name)]);
  const search = parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : '';
  if (method === 'GET' && remaining.size > 0)
    throw new TypeError(`${id} has no field ${[...remaining.keys()].join(', ')}`);
  const hasBody = remaining.size > 0 || method === 'PUT' || method === 'PATCH';
  return {
    method,
    path: filledPath + search,
    repeatable: true,
    ...(hasBody ? { body: Object.fromEntries(remaining) } : {}),
    ...(deletion ? { gone: { data: Object.fromEntries(deletion.map((name) => [name, input[name] ?? true])) } } : {}),
  };
}

async function call(sender: Sender, id: keyof Operations, input: Fields, options?: CallOptions): Promise<unknown> {
  const read = (response: Response) => readJson(response, options?.signal);
  const result = (await sender.send(toRequest(id, input), read, options)) as { data: unknown };
  return OPERATIONS[id].shape === 'single' ? result.data : result;
}

function list(sender: Sender, id: keyof Operations, input: Fields, options?: CallOptions): List<unknown> {
  const { offset: _, ...following } = input;
  const read = async (cursor?: string) =>
    (await call(sender, id, cursor === undefined ? input : { ...following, cursor }, options)) as Page<unknown>;
  return new List(read);
}

/**
 * Creates a client of the platform.
 *
 *     const client = createClient({ baseUrl: 'https://api.example.com', secretKey: process.env.HOSTING_KEY });
 *     const app = await client.createApp({ name: 'My shop', framework: 'EXPRESS' });
 */
export function createClient(options: ClientOptions): Client {
  const sender = new Sender(options);
  const methods = (Object.keys(OPERATIONS) as (keyof Operations)[]).map((id) => [
    id,
    (input: Fields = {}, callOptions?: CallOptions) =>
      OPERATIONS[id].shape === 'list' ? list(sender, id, input, callOptions) : call(sender, id, input, callOptions),
  ]);
  const createChatCompletion = async (input: CreateChatCompletionInput, callOptions?: CallOptions) => {
    // A call whose response is lost may have been charged, so only refused calls are retried.
    const request = {
      method: 'POST',
      path: '/ai/v1/chat/completions',
      body: input,
      repeatable: false,
      timeoutMs: CHAT_TIMEOUT_MS,
    };
    const signal = callOptions?.signal;
    const read = async (response: Response) =>
      input.stream ? readChunks(response, signal) : await readCompletion(response, signal);
    return await sender.send(request, read, callOptions);
  };
  return { ...Object.fromEntries(methods), createChatCompletion } as Client;
}
