import { isObject, memberOf } from '../../contract/json.ts';
import type { Adapter, AdapterRequest, AdapterResponse, Translator } from './adapter.ts';
import { DONE, Silence } from './adapter.ts';
import { ChunkForm, completeUsage, completionGaps, isChoice, newCompletionId } from './chat-form.ts';
import { type ChunkMembers, findMembers } from './chunk-members.ts';
import { ProviderFailure, parseReportedFailure } from './failures.ts';
import { failureOf } from './finish-reasons.ts';
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
    // Not JSON, for example a proxy's error page.
  }
  throw invalidResponse();
}

/**
 * Returns the failure that an answer or a chunk reports: at its top level, in a choice or its finish reason, or in Groq's `x_groq`
 * member.
 */
function reportedFailure(document: Record<string, unknown>, checksContent: boolean): ProviderFailure | undefined {
  const choices: unknown[] = Array.isArray(document.choices) ? document.choices : [];
  const failed = [document, ...choices, document.x_groq].find((part) => isObject(part) && part.error);
  if (failed) return parseReportedFailure(failed, checksContent);
  const [kind] = choices.flatMap((choice) => failureOf(memberOf(choice, 'finish_reason')) ?? []);
  return kind && new ProviderFailure(kind, {});
}

function toCompletion(bytes: Buffer, { request, estimate, provider }: AdapterRequest): AdapterResponse {
  const document = parse(bytes);
  const failure = reportedFailure(document, provider.checksContent);
  if (failure) throw failure;
  const { choices } = document;
  if (!Array.isArray(choices) || choices.length === 0 || !choices.every(isChoice)) throw invalidResponse();
  const reported = readUsage(document.usage);
  const usage = reported ?? estimate(Buffer.byteLength(JSON.stringify(choices)));
  const changes = {
    ...completionGaps(document),
    model: request.model,
    ...(reported ? {} : { usage: toChatUsage(usage) }),
  };
  return { body: Buffer.from(setMembers(bytes.toString('utf8'), changes)), usage, estimated: !reported };
}

/** Matches a chunk without choices. Many clients read the first choice of every chunk. */
const NO_CHOICE = /"choices"\s*:\s*(?:\[\s*\]|null)/;

const PREFIX = Buffer.from('data: ');
const SUFFIX = Buffer.from('\n\n');
const NOTHING = Buffer.alloc(0);

/** Passes chunks through as bytes. It inspects each chunk and usually replaces only the model's name. */
class PassThrough implements Translator {
  done = false;
  failure: ProviderFailure | undefined;
  readonly #adapterRequest: AdapterRequest;
  readonly #splitter = new SseSplitter();
  readonly #model: Buffer;
  /** True if the caller asked for OpenAI's form, in which the last chunk has the usage and no choices. */
  readonly #asksForUsage: boolean;
  #reported: Usage | undefined;
  /** The reported usage as the provider sent it, completed. */
  #reportedUsage: unknown;
  /**
   * The last chunk, as JSON: that with the finish reason or, if the caller asked for the usage, that with only the usage. It is held back
   * until the stream ends, and gets the usage: many clients read the first choice of every chunk, so a chunk of its own would break them,
   * and some add up the usages of all chunks.
   */
  #held: Buffer | undefined;
  #finished = false;
  #writtenBytes = 0;
  #first: { id?: unknown; created?: unknown } | undefined;
  /** The id if the provider sends none. */
  readonly #id = newCompletionId();
  readonly #form: ChunkForm;
  /** True if the first chunk lacks members of the format; then every chunk is parsed. */
  #hasGaps = false;
  /** True if the first chunk with tool calls lacks members of the format; undefined before that chunk. */
  #callsHaveGaps: boolean | undefined;
  readonly #silence = new Silence();

  constructor(adapterRequest: AdapterRequest) {
    this.#adapterRequest = adapterRequest;
    this.#model = Buffer.from(JSON.stringify(adapterRequest.request.model));
    this.#form = new ChunkForm({ id: this.#id, model: adapterRequest.request.model });
    this.#asksForUsage = adapterRequest.request.stream_options?.include_usage === true;
  }

  get usage(): Usage {
    return this.#reported ?? this.#adapterRequest.estimate(this.#writtenBytes);
  }
  get estimated(): boolean {
    return !this.#reported;
  }
  get isFinished(): boolean {
    return this.#finished && (this.#adapterRequest.request.n ?? 1) === 1;
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
    // Some providers omit [DONE], or the blank line after it. A stream with a finish reason was not cut.
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
      // A stream without a chunk is not an answer. One with neither a finish reason nor a usage was cut.
      if (this.#first && (this.#finished || this.#reported)) this.#finish(out);
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
    const withUsage = !this.failure && seen.usage && this.#readUsage(data);
    if (this.failure) return;
    const hasChoice = text.includes('"choices"') && !NO_CHOICE.test(text);
    // Drop the chunk: it is an event for clients of this provider, or it has only the usage, which the last chunk with choices gets.
    if (!hasChoice && !(withUsage && this.#asksForUsage)) return;
    if (!this.#asksForUsage) this.#releaseHeld(out);
    const named = this.#replaceModel(data, seen);
    const chunk = this.#complete(withUsage && hasChoice ? this.#withoutUsage(named) : named, seen);
    const isLast = this.#asksForUsage ? !hasChoice : seen.finish || (withUsage && this.#finished);
    if (isLast) this.#held = chunk;
    else out.push(PREFIX, chunk, SUFFIX);
  }

  /** Returns the failure that a chunk reports in its members or by being an `error` event. */
  #failureIn(data: Buffer, event: string): ProviderFailure | undefined {
    const document = this.#tryParse(data);
    if (!document) return invalidResponse();
    const { checksContent } = this.#adapterRequest.provider;
    const unnamed = event === 'error' ? parseReportedFailure(document, checksContent) : undefined;
    return reportedFailure(document, checksContent) ?? unnamed;
  }

  /** Replaces the provider's name of the model by the name that the caller used. */
  #replaceModel(data: Buffer, { model, modelEnd }: ChunkMembers): Buffer {
    return modelEnd > 0 ? Buffer.concat([data.subarray(0, model), this.#model, data.subarray(modelEnd)]) : data;
  }

  /** Removes the usage from a chunk that is not the last one. */
  #withoutUsage(chunk: Buffer): Buffer {
    return Buffer.from(setMembers(chunk.toString('utf8'), { usage: this.#asksForUsage ? null : undefined }));
  }

  /**
   * Adds missing members to a chunk. If the provider keeps to the format, only the first chunk of each kind and the chunk with the
   * finish reason are parsed.
   */
  #complete(chunk: Buffer, { calls, finish, parts }: ChunkMembers): Buffer {
    const isOfInterest = parts || finish || (calls && this.#callsHaveGaps !== false);
    if (this.#first && !this.#hasGaps && !isOfInterest) return chunk;
    const document = this.#tryParse(chunk);
    if (!document) return chunk;
    const gaps = this.#form.gapsOf(document);
    const isComplete = Object.keys(gaps).length === 0;
    if (!this.#first) this.#hasGaps = !isComplete;
    this.#first ??= document;
    if (calls) this.#callsHaveGaps ??= !isComplete;
    return isComplete ? chunk : Buffer.from(setMembers(chunk.toString('utf8'), gaps));
  }

  #releaseHeld(out: Buffer[]): void {
    if (this.#held) out.push(PREFIX, this.#held, SUFFIX);
    this.#held = undefined;
  }

  #tryParse(data: Buffer): Record<string, unknown> | undefined {
    try {
      return parse(data);
    } catch {
      return undefined;
    }
  }

  /** Records the usage that a chunk reports. Returns true if it has one. */
  #readUsage(data: Buffer): boolean {
    const document = this.#tryParse(data);
    if (!document) this.failure = invalidResponse();
    const reported = readUsage(document?.usage);
    if (!reported) return false;
    this.#reported = reported;
    this.#reportedUsage = completeUsage(document?.usage);
    return true;
  }

  /** Writes the end of the stream. The last chunk always has the usage; if that chunk is not valid JSON, the answer is broken. */
  #finish(out: Buffer[]): void {
    if (this.#held && !this.#tryParse(this.#held)) {
      this.failure = invalidResponse();
      return;
    }
    this.done = true;
    const usage = this.#reportedUsage ?? toChatUsage(this.usage);
    const last = this.#held
      ? setMembers(this.#held.toString('utf8'), { ...(this.#asksForUsage ? { choices: [] } : {}), usage })
      : this.#usageChunk(usage);
    out.push(PREFIX, Buffer.from(last), SUFFIX, Buffer.from(DONE));
  }

  #usageChunk(usage: unknown): string {
    const { id = this.#id, created = Math.floor(Date.now() / 1000) } = this.#first ?? {};
    const choices = this.#asksForUsage ? [] : [{ index: 0, delta: {}, finish_reason: null }];
    const { model } = this.#adapterRequest.request;
    return JSON.stringify({ id, object: 'chat.completion.chunk', created, model, choices, usage });
  }
}

/** OpenAI's chat completions, the format of most providers. */
export const openAiCompatible: Adapter = {
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  prepare: prepareRequest,
  answer: toCompletion,
  stream: (adapterRequest) => new PassThrough(adapterRequest),
};
