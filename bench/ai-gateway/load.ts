import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { median } from '../measure.ts';

/** Something that chat completions are asked of. */
export interface Target {
  name: string;
  url: string;
  headers: Record<string, string>;
  model: string;
  /** The process whose time and memory count; none for the provider itself. */
  pid?: number;
}

/** Fresh for each load: a server may close what was idle in the meantime. */
let agent = new Agent({ keepAlive: true });
const messages = [{ role: 'user', content: 'Tell me about the weather in Cape Town, please, in a hundred words.' }];

function open({ url, headers, model }: Target, pace: number | undefined): Promise<IncomingMessage> {
  const body = JSON.stringify({
    model,
    messages,
    ...(pace === undefined ? {} : { stream: true, user: `pace-${pace}` }),
  });
  return new Promise((resolve, reject) => {
    const sent = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    request(`${url}/chat/completions`, { method: 'POST', agent, headers: sent }, resolve).on('error', reject).end(body);
  });
}

const textOf = async (answer: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) text += piece;
  return text;
};

/** One call that is not streamed. */
export async function whole(target: Target): Promise<void> {
  const answer = await open(target, undefined);
  const text = await textOf(answer);
  if (answer.statusCode !== 200) throw new Error(`${target.name} answered ${answer.statusCode}: ${text}`);
}

/** One stream to its end; milliseconds until its first byte. */
export async function streamed(target: Target, pace: number): Promise<number> {
  const started = performance.now();
  const answer = await open(target, pace);
  let first = 0;
  let tail = '';
  for await (const piece of answer.setEncoding('utf8')) {
    first ||= performance.now() - started;
    tail = (tail + piece).slice(-200);
  }
  if (answer.statusCode !== 200 || !tail.includes('[DONE]')) {
    throw new Error(`${target.name} answered ${answer.statusCode}: ${tail}`);
  }
  return first;
}

/** A stream that is left after its first byte. */
export async function aborted(target: Target): Promise<void> {
  const answer = await open(target, 50);
  await new Promise((resolve) => answer.once('data', resolve));
  answer.destroy();
}

/** Opens streams, ten at a time as callers come, and leaves them open; `close` ends them. */
export async function openStreams(target: Target, count: number): Promise<() => void> {
  const answers: IncomingMessage[] = [];
  await many(count, 10, async () => {
    const answer = await open(target, 600);
    await new Promise((resolve) => answer.once('data', resolve));
    answers.push(answer);
  });
  return () => {
    for (const answer of answers) answer.destroy();
  };
}

/** Does something so often, so many at a time; what each gave, and seconds for all. */
export async function many<T>(times: number, atOnce: number, work: () => Promise<T>, stagger = 0) {
  agent = new Agent({ keepAlive: true });
  const results: T[] = [];
  let left = times;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: atOnce }, async (_, index) => {
      await new Promise((done) => setTimeout(done, (stagger * index) / atOnce));
      while (left > 0) {
        left -= 1;
        results.push(await work());
      }
    }),
  );
  return { results, seconds: (performance.now() - started) / 1000 };
}

/** Does something so often, at an even pace, whether or not what was begun before has ended. */
export async function paced(times: number, perSecond: number, work: () => Promise<unknown>): Promise<void> {
  agent = new Agent({ keepAlive: true });
  const started = performance.now();
  const under: Promise<unknown>[] = [];
  for (let index = 0; index < times; index += 1) {
    const due = started + (index * 1000) / perSecond;
    if (due > performance.now()) await new Promise((done) => setTimeout(done, due - performance.now()));
    under.push(work());
  }
  await Promise.all(under);
}

/** Seconds of processor time that a process has used, all its threads together. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Megabytes that a process holds in memory. */
export const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000;

/** Processor seconds for 1,000 of what `work` did `times` of. */
export async function cpuPer1000(target: Target, times: number, work: () => Promise<unknown>): Promise<number> {
  if (target.pid === undefined) {
    await work();
    return 0;
  }
  const before = cpuOf(target.pid);
  await work();
  // What is left to do after the last byte belongs to it.
  await new Promise((done) => setTimeout(done, 300));
  return ((cpuOf(target.pid) - before) * 1000) / times;
}

export { median };
