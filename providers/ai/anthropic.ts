import { memberOf } from '../../contract/json.ts';
import { type Adapter, type AdapterRequest, type AdapterResponse, DONE, Silence, type Translator } from './adapter.ts';
import { objectAt, textAt, toFinishReason, UsageTally } from './anthropic-events.ts';
import { prepareRequest } from './anthropic-request.ts';
import { ProviderFailure, parseReportedFailure } from './failures.ts';
import { type SseFrame, SseSplitter } from './sse-frames.ts';
import { toChatUsage, type Usage } from './usage.ts';

const invalidResponse = () => new ProviderFailure('broken', {});
const seconds = () => Math.floor(Date.now() / 1000);

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidResponse();
  }
}

function toCompletion(bytes: Buffer, { request, estimate }: AdapterRequest): AdapterResponse {
  const document = parse(bytes);
  if (textAt(document, 'type') === 'error') throw parseReportedFailure(document);
  const content = memberOf(document, 'content');
  if (!Array.isArray(content)) throw invalidResponse();
  const text = content.map((block) => (textAt(block, 'type') === 'text' ? textAt(block, 'text') : '')).join('');
  const tally = new UsageTally();
  tally.add(objectAt(document, 'usage'));
  const { prompt, output } = tally;
  const isReported = prompt !== undefined && output !== undefined;
  const usage = isReported ? { ...prompt, output } : estimate(Buffer.byteLength(text));
  const completion = {
    id: textAt(document, 'id') ?? 'msg',
    object: 'chat.completion',
    created: seconds(),
    model: request.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: toFinishReason(textAt(document, 'stop_reason')),
      },
    ],
    usage: toChatUsage(usage),
    system_fingerprint: null,
  };
  return { body: Buffer.from(JSON.stringify(completion)), usage, estimated: !isReported };
}

/** Translates Anthropic's events into chat-completion chunks. */
class AnthropicTranslator implements Translator {
  done = false;
  failure: ProviderFailure | undefined;
  readonly #adapterRequest: AdapterRequest;
  readonly #splitter = new SseSplitter();
  readonly #tally = new UsageTally();
  /** The start of a chunk up to its choices: the same for the whole stream. */
  #head = '';
  #stop: string | undefined;
  #outputTold = false;
  #streamedBytes = 0;
  readonly #silence = new Silence();

  constructor(adapterRequest: AdapterRequest) {
    this.#adapterRequest = adapterRequest;
  }

  /** The output that `message_start` reports is not final. Until the final report, the estimate of the streamed bytes counts if it is larger. */
  get usage(): Usage {
    const estimated = this.#adapterRequest.estimate(this.#streamedBytes);
    const { prompt, output = 0 } = this.#tally;
    return { ...estimated, ...prompt, output: this.#outputTold ? output : Math.max(output, estimated.output) };
  }
  get estimated(): boolean {
    return this.#tally.prompt === undefined || !this.#outputTold;
  }
  get isFinished(): boolean {
    return this.#stop !== undefined;
  }

  push(piece: Buffer): Buffer {
    let out = '';
    for (const frame of this.#splitter.push(piece)) {
      if (this.done || this.failure) break;
      out += this.#translate(frame);
    }
    if (this.#splitter.isOverlong) this.failure ??= invalidResponse();
    if (out !== '') this.#silence.end();
    return Buffer.from(out);
  }

  /** Anthropic ends a stream with `message_stop`. Before it, the event with the stop reason also has the final usage. */
  end(): Buffer {
    if (!this.isFinished) throw invalidResponse();
    const end = this.#finish();
    if (this.failure) throw this.failure;
    return Buffer.from(end);
  }

  #translate({ data, event }: SseFrame): string {
    if (data.length === 0 || event === 'ping') return this.#signOfLife();
    let document: unknown;
    try {
      document = parse(data);
    } catch {
      this.failure = invalidResponse();
      return '';
    }
    switch (textAt(document, 'type')) {
      case 'message_start':
        return this.#start(objectAt(document, 'message'));
      case 'content_block_start':
        return this.#text(textAt(objectAt(document, 'content_block'), 'text'));
      case 'content_block_delta':
        return this.#delta(objectAt(document, 'delta'));
      case 'message_delta':
        this.#tally.add(objectAt(document, 'usage'));
        this.#outputTold ||= typeof objectAt(document, 'usage').output_tokens === 'number';
        this.#stop = textAt(objectAt(document, 'delta'), 'stop_reason') ?? this.#stop;
        return '';
      case 'message_stop':
        return this.#finish();
      case 'error':
        this.failure = parseReportedFailure(document);
        return '';
      default:
        return this.#signOfLife();
    }
  }

  #signOfLife(): string {
    return this.#silence.comment?.toString() ?? '';
  }

  #start(message: Record<string, unknown>): string {
    this.#tally.add(message.usage);
    const { request } = this.#adapterRequest;
    const id = JSON.stringify(textAt(message, 'id') ?? 'msg');
    const model = JSON.stringify(request.model);
    const constants = '"object":"chat.completion.chunk","system_fingerprint":null';
    this.#head = `data: {"id":${id},${constants},"created":${seconds()},"model":${model},"choices":[`;
    return this.#chunk('{"role":"assistant","content":"","refusal":null}', null);
  }

  #chunk(delta: string, finish: string | null, usage = 'null'): string {
    const choice = `{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}`;
    return `${this.#head}${choice}],"usage":${usage}}\n\n`;
  }

  #text(text: string | undefined): string {
    if (!text) return '';
    if (this.#head === '') {
      this.failure = invalidResponse();
      return '';
    }
    this.#streamedBytes += Buffer.byteLength(text);
    return this.#chunk(`{"content":${JSON.stringify(text)}}`, null);
  }

  /** Thinking and tool input are not passed on, but they count as output. */
  #delta(delta: Record<string, unknown>): string {
    if (delta.type === 'text_delta') return this.#text(textAt(delta, 'text'));
    this.#streamedBytes += Buffer.byteLength(textAt(delta, 'thinking') ?? textAt(delta, 'partial_json') ?? '');
    return this.#signOfLife();
  }

  #finish(): string {
    if (this.#head === '') {
      this.failure = invalidResponse();
      return '';
    }
    this.done = true;
    this.#stop ??= 'end_turn';
    const usage = JSON.stringify(toChatUsage(this.usage));
    const finish = toFinishReason(this.#stop);
    // A chunk without choices is sent only if the caller asked for it: many clients read the first choice of every chunk.
    if (this.#adapterRequest.request.stream_options?.include_usage !== true)
      return this.#chunk('{}', finish, usage) + DONE;
    return `${this.#chunk('{}', finish)}${this.#head}],"usage":${usage}}\n\n${DONE}`;
  }
}

/** Anthropic's Messages API, translated in both directions. */
export const anthropic: Adapter = {
  headers: (key) => ({ 'x-api-key': key }),
  prepare: prepareRequest,
  answer: toCompletion,
  stream: (adapterRequest) => new AnthropicTranslator(adapterRequest),
};
