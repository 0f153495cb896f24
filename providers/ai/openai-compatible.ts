import { isObject } from '../../contract/json.ts';
import type { Adapter, AdapterRequest, AdapterResponse, Translator } from './adapter.ts';
import { DONE, Silence } from './adapter.ts';
import { ChunkForm, completeUsage, completionGaps, newCompletionId } from './chat-form.ts';
import { ProviderFailure, parseReportedFailure } from './failures.ts';
import { isWhole, setMembers, skipString } from './json-splice.ts';
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

/** The members of a chunk that the gateway looks for. A key in quotes before a colon cannot be part of a text, whose quotes are escaped. */
const RELEVANT_MEMBERS =
  /"(model|usage|error|finish_reason|tool_calls|content|text|reasoning_content|reasoning|refusal|arguments)"\s*:\s*(?:(")|(?=([{n[\d])))/g;

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
  #streamedBytes = 0;
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
    return this.#told ?? this.#ask.estimate(this.#streamedBytes);
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
    return Buffer.concat(out);
  }

  #pass({ event, data }: SseFrame, out: Buffer[]): void {
    if (data.length === 0) {
      const { comment } = this.#silence;
      if (comment) out.push(comment);
      return;
    }
    const text = data.toString('latin1');
    if (text.startsWith('[DONE]')) {
      // Without a chunk it is no answer, as one without a choice is none; one that says neither why it ended nor its usage was cut.
      if (this.#first && (this.#finished || this.#told)) this.#finish(out);
      else this.failure = invalidResponse();
      return;
    }
    if (text[0] !== '{') {
      if (event === '') this.failure = invalidResponse();
      return;
    }
    if (!isWhole(text)) {
      this.failure = invalidResponse();
      return;
    }
    const seen = this.#look(text);
    if (seen.error || event === 'error') {
      const document = this.#parsed(data);
      const { checksContent } = this.#ask.provider;
      const unnamed = event === 'error' ? parseReportedFailure(document, checksContent) : undefined;
      this.failure = document ? (reportedIn(document, checksContent) ?? unnamed) : invalidResponse();
      if (this.failure) return;
    }
    // An event of some other kind is for clients that know the provider.
    if (!text.includes('"choices"')) return;
    const told = seen.usage ? this.#readUsage(data) : undefined;
    if (this.failure) return;
    if (NO_CHOICE.test(text) && !(told && this.#asksForUsage)) {
      // The usage alone, which the last chunk with choices gets, or nothing that a client could read.
      if (told) this.#lastToldUsage = false;
      return;
    }
    this.#lastToldUsage = told !== undefined;
    this.#release(out);
    const named =
      seen.modelEnd > 0
        ? Buffer.concat([data.subarray(0, seen.model), this.#model, data.subarray(seen.modelEnd)])
        : data;
    const counted =
      told && told.usage !== this.#toldUsage
        ? Buffer.from(setMembers(named.toString('utf8'), { usage: this.#toldUsage }))
        : named;
    const chunk = this.#filled(counted, seen);
    if (seen.finish && !this.#asksForUsage) this.#held = chunk;
    else out.push(PREFIX, chunk, SUFFIX);
  }

  /** Completes a chunk. Only the first of its kind is parsed where the provider keeps to the format. */
  #filled(chunk: Buffer, { calls, stops, parts }: Record<'calls' | 'stops' | 'parts', boolean>): Buffer {
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

  /** Finds what matters in a chunk, in one pass over its text (latin1: an index is a byte's). */
  #look(text: string) {
    const seen = {
      model: 0,
      modelEnd: 0,
      usage: false,
      error: false,
      finish: false,
      stops: false,
      calls: false,
      parts: false,
    };
    RELEVANT_MEMBERS.lastIndex = 0;
    for (let found = RELEVANT_MEMBERS.exec(text); found; found = RELEVANT_MEMBERS.exec(text)) {
      const [, key, quote, other] = found;
      const from = RELEVANT_MEMBERS.lastIndex;
      const end = quote ? skipString(text, from - 1) - 1 : from;
      if (quote) RELEVANT_MEMBERS.lastIndex = end + 1;
      if (key === 'model') {
        if (quote && seen.modelEnd === 0) Object.assign(seen, { model: from - 1, modelEnd: end + 1 });
      } else if (key === 'usage') seen.usage ||= other === '{';
      else if (key === 'error') seen.error ||= quote !== undefined || other === '{';
      else if (key === 'finish_reason') {
        // Some providers say "" in every chunk.
        seen.finish ||= end > from;
        seen.stops ||= end - from === 4 && text.startsWith('stop', from);
        this.#finished ||= seen.finish;
      } else if (key === 'tool_calls') seen.calls ||= other === '[' && text[from + 1] !== ']';
      // Outside the content's parts, a text repeats the content: Together's token, OpenRouter's details of the reasoning.
      else if (quote) this.#streamedBytes += key === 'text' && !seen.parts ? 0 : end - from;
      else if (key === 'content') seen.parts ||= other === '[';
    }
    return seen;
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

  /** The usage is in the last chunk, whatever the provider did. */
  #finish(out: Buffer[]): void {
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
