import { isObject } from '../../contract/json.ts';
import type { Adapter, AdapterRequest, AdapterResponse, Translator } from './adapter.ts';
import { DONE, Silence } from './adapter.ts';
import { ChunkForm, completeUsage, completionGaps, newCompletionId } from './chat-form.ts';
import { type ChunkMembers, findMembers } from './chunk-members.ts';
import { ProviderFailure, parseReportedFailure } from './failures.ts';
import { isWhole, setMembers } from './json-splice.ts';
import { prepareRequest } from './openai-request.ts';
import { type SseFrame, SseSplitter } from './sse-frames.ts';
import { readUsage, toChatUsage, type Usage } from './usage.ts';

const invalidResponse = () => new ProviderFailure('broken', {});

function parse(bytes: Buffer): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof document === 'object' && document !== null) return { ...document };
  } catch {
    // Not JSON at all: a proxy's error page, say.
  }
  throw invalidResponse();
}

/** Returns the failure that a provider reports in an answer or a chunk of one: as a whole, of a choice, or in Groq's own member. */
function reportedIn(document: Record<string, unknown>, checksContent: boolean): ProviderFailure | undefined {
  const choices: unknown[] = Array.isArray(document.choices) ? document.choices : [];
  const failed = [document, ...choices, document.x_groq].find((each) => isObject(each) && each.error);
  return failed ? parseReportedFailure(failed, checksContent) : undefined;
}

function toCompletion(bytes: Buffer, { request, estimate, provider }: AdapterRequest): AdapterResponse {
  const document = parse(bytes);
  const reported = reportedIn(document, provider.checksContent);
  if (reported) throw reported;
  if (!Array.isArray(document.choices) || document.choices.length === 0) throw invalidResponse();
  const told = readUsage(document.usage);
  const usage = told ?? estimate(Buffer.byteLength(JSON.stringify(document.choices)));
  const changes = {
    ...completionGaps(document),
    model: request.model,
    ...(told ? {} : { usage: toChatUsage(usage) }),
  };
  return { body: Buffer.from(setMembers(bytes.toString('utf8'), changes)), usage, estimated: !told };
}

/** A chunk without a choice. Many clients read the first one of each. */
const NO_CHOICE = /"choices"\s*:\s*(?:\[\s*\]|null)/;

const PREFIX = Buffer.from('data: ');
const SUFFIX = Buffer.from('\n\n');
const NOTHING = Buffer.alloc(0);

/** Passes chunks through as bytes: they are looked at, and only the model's name is put in its place. */
class PassThrough implements Translator {
  done = false;
  failure: ProviderFailure | undefined;
  readonly #ask: AdapterRequest;
  readonly #splitter = new SseSplitter();
  readonly #model: Buffer;
  /** True where the caller asked for OpenAI's own form, whose last chunk has the usage and no choices. */
  readonly #asksForUsage: boolean;
  #told: Usage | undefined;
  #toldUsage: unknown;
  #lastToldUsage = false;
  /**
   * The chunk that says how the answer finished, as JSON: it waits for the usage, because many clients read the first choice
   * of every chunk.
   */
  #held: Buffer | undefined;
  #finished = false;
  #writtenBytes = 0;
  #first: { id?: unknown; created?: unknown } | undefined;
  /** Of a stream without one. */
  readonly #id = newCompletionId();
  readonly #form: ChunkForm;
  /** True where the first chunk lacks members of the format: then every chunk is parsed. */
  #hasGaps = false;
  /** True where the first chunk with tool calls lacks members of the format; undefined before that chunk. */
  #callsHaveGaps: boolean | undefined;
  readonly #silence = new Silence();

  constructor(ask: AdapterRequest) {
    this.#ask = ask;
    this.#model = Buffer.from(JSON.stringify(ask.request.model));
    this.#form = new ChunkForm({ id: this.#id, model: ask.request.model });
    this.#asksForUsage = ask.request.stream_options?.include_usage === true;
  }

  get usage(): Usage {
    return this.#told ?? this.#ask.estimate(this.#writtenBytes);
  }
  get estimated(): boolean {
    return !this.#told;
  }

  push(piece: Buffer): Buffer {
    const out: Buffer[] = [];
    for (const frame of this.#splitter.push(piece)) {
      if (this.done || this.failure) break;
      this.#pass(frame, out);
    }
    if (this.#splitter.isOverlong) this.failure ??= invalidResponse();
    if (out.length > 0) this.#silence.end();
    return out.length === 1 && out[0] ? out[0] : out.length === 0 ? NOTHING : Buffer.concat(out);
  }

  end(): Buffer {
    // Some providers close without [DONE], or without the blank line behind it; one that said how it finished was not cut.
    if (!this.#finished) throw invalidResponse();
    const out: Buffer[] = [];
    this.#finish(out);
    if (this.failure) throw this.failure;
    return Buffer.concat(out);
  }

  #pass(frame: SseFrame, out: Buffer[]): void {
    const { event, data } = frame;
    const text = data.toString('latin1');
    if (text === '') {
      const { comment } = this.#silence;
      if (comment) out.push(comment);
    } else if (text.startsWith('[DONE]')) {
      // Without a chunk it is no answer, as one without a choice is none; one that says neither why it ended nor its usage was cut.
      if (this.#first && (this.#finished || this.#told)) this.#finish(out);
      else this.failure = invalidResponse();
    } else if (text[0] !== '{') {
      if (event === '') this.failure = invalidResponse();
    } else if (isWhole(text)) {
      this.#passDocument(frame, text, out);
    } else {
      this.failure = invalidResponse();
    }
  }

  #passDocument({ event, data }: SseFrame, text: string, out: Buffer[]): void {
    const seen = findMembers(text);
    this.#finished ||= seen.finish;
    this.#writtenBytes += seen.writtenBytes;
    if (seen.error || event === 'error') this.failure = this.#failureIn(data, event);
    // An event of some other kind is for clients that know the provider.
    if (this.failure || !text.includes('"choices"')) return;
    const told = seen.usage ? this.#readUsage(data) : undefined;
    if (this.failure) return;
    if (NO_CHOICE.test(text) && !(told && this.#asksForUsage)) {
      // The usage alone, which the last chunk with choices gets, or nothing that a client could read.
      if (told) this.#lastToldUsage = false;
      return;
    }
    this.#lastToldUsage = told !== undefined;
    this.#release(out);
    const chunk = this.#filled(this.#withUsage(this.#renamed(data, seen), told), seen);
    if (seen.finish && !this.#asksForUsage) this.#held = chunk;
    else out.push(PREFIX, chunk, SUFFIX);
  }

  /** Returns the failure that a chunk reports, or that it is as an event of that name. */
  #failureIn(data: Buffer, event: string): ProviderFailure | undefined {
    const document = this.#parsed(data);
    if (!document) return invalidResponse();
    const { checksContent } = this.#ask.provider;
    const unnamed = event === 'error' ? parseReportedFailure(document, checksContent) : undefined;
    return reportedIn(document, checksContent) ?? unnamed;
  }

  /** Puts the model's name that the caller used in the place of the provider's. */
  #renamed(data: Buffer, { model, modelEnd }: ChunkMembers): Buffer {
    return modelEnd > 0 ? Buffer.concat([data.subarray(0, model), this.#model, data.subarray(modelEnd)]) : data;
  }

  /** Puts the completed usage into a chunk that tells an incomplete one. */
  #withUsage(chunk: Buffer, told: Record<string, unknown> | undefined): Buffer {
    if (!told || told.usage === this.#toldUsage) return chunk;
    return Buffer.from(setMembers(chunk.toString('utf8'), { usage: this.#toldUsage }));
  }

  /** Completes a chunk. Only the first of its kind is parsed where the provider keeps to the format. */
  #filled(chunk: Buffer, { calls, stops, parts }: ChunkMembers): Buffer {
    const isOfInterest = parts || (calls && this.#callsHaveGaps !== false) || (stops && this.#callsHaveGaps === true);
    if (this.#first && !this.#hasGaps && !isOfInterest) return chunk;
    const document = this.#parsed(chunk);
    if (!document) return chunk;
    const gaps = this.#form.gapsOf(document);
    const isComplete = Object.keys(gaps).length === 0;
    if (!this.#first) this.#hasGaps = !isComplete;
    this.#first ??= document;
    if (calls) this.#callsHaveGaps ??= !isComplete;
    return isComplete ? chunk : Buffer.from(setMembers(chunk.toString('utf8'), gaps));
  }

  #release(out: Buffer[]): void {
    if (this.#held) out.push(PREFIX, this.#held, SUFFIX);
    this.#held = undefined;
  }

  #parsed(data: Buffer): Record<string, unknown> | undefined {
    try {
      return parse(data);
    } catch {
      return undefined;
    }
  }

  /** Returns the chunk if it tells a usage. */
  #readUsage(data: Buffer): Record<string, unknown> | undefined {
    const document = this.#parsed(data);
    if (!document) this.failure = invalidResponse();
    const told = readUsage(document?.usage);
    if (!told) return undefined;
    this.#told = told;
    this.#toldUsage = completeUsage(document?.usage);
    return document;
  }

  /** The usage is in the last chunk, whatever the provider did. One that is no JSON cannot hold it: the answer is broken. */
  #finish(out: Buffer[]): void {
    if (this.#held && !this.#parsed(this.#held)) {
      this.failure = invalidResponse();
      return;
    }
    this.done = true;
    const usage = this.#toldUsage ?? toChatUsage(this.usage);
    if (this.#held) this.#held = Buffer.from(setMembers(this.#held.toString('utf8'), { usage }));
    else if (!this.#lastToldUsage) out.push(Buffer.from(this.#usageChunk(usage)));
    this.#release(out);
    out.push(Buffer.from(DONE));
  }

  #usageChunk(usage: unknown): string {
    const { id = this.#id, created = Math.floor(Date.now() / 1000) } = this.#first ?? {};
    const choices = this.#asksForUsage ? [] : [{ index: 0, delta: {}, finish_reason: null }];
    const { model } = this.#ask.request;
    const chunk = { id, object: 'chat.completion.chunk', created, model, choices, usage };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }
}

/** Chat completions as OpenAI defined them, spoken by most. */
export const openAiCompatible: Adapter = {
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  prepare: prepareRequest,
  answer: toCompletion,
  stream: (ask) => new PassThrough(ask),
};
