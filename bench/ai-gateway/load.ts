import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { median } from '../measure.ts';

/** A server that receives chat completion calls. */
export interface Target {
  name: string;
  url: string;
  headers: Record<string, string>;
  model: string;
  /** Process whose CPU time and memory are measured; absent for the provider itself. */
  pid?: number;
}

/** Replaced for each load, because a server may have closed idle connections. */
let agent = new Agent({ keepAlive: true });
const messages = [{ role: 'user', content: 'Tell me about the weather in Cape Town, please, in a hundred words.' }];

function sendCall({ url, headers, model }: Target, pace: number | undefined): Promise<IncomingMessage> {
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

const readText = async (response: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += piece;
  return text;
};

/** Sends one call without streaming and reads its response. */
export async function callOnce(target: Target): Promise<void> {
  const response = await sendCall(target, undefined);
  const text = await readText(response);
  if (response.statusCode !== 200) throw new Error(`${target.name} answered ${response.statusCode}: ${text}`);
}

/** Reads one stream to its end. Returns the milliseconds until its first byte. */
export async function readStream(target: Target, pace: number): Promise<number> {
  const started = performance.now();
  const response = await sendCall(target, pace);
  let first = 0;
  let tail = '';
  for await (const piece of response.setEncoding('utf8')) {
    first ||= performance.now() - started;
    tail = (tail + piece).slice(-200);
  }
  if (response.statusCode !== 200 || !tail.includes('[DONE]')) {
    throw new Error(`${target.name} answered ${response.statusCode}: ${tail}`);
  }
  return first;
}

/** Opens a stream and disconnects after its first byte. */
export async function abortStream(target: Target): Promise<void> {
  const response = await sendCall(target, 50);
  await new Promise((resolve) => response.once('data', resolve));
  response.destroy();
}

/**
 * Opens streams, ten at a time, and keeps them open. The returned function closes them.
 * @param pace milliseconds between two tokens
 */
export async function openStreams(target: Target, count: number, pace = 600): Promise<() => void> {
  const responses: IncomingMessage[] = [];
  await repeatConcurrently(count, 10, async () => {
    const response = await sendCall(target, pace);
    if (response.statusCode !== 200) throw new Error(`${target.name} answered ${response.statusCode}`);
    await new Promise((resolve) => response.once('data', resolve));
    responses.push(response);
  });
  return () => {
    for (const response of responses) response.destroy();
  };
}

/** Runs work a number of times with limited concurrency. Returns the results and the total seconds. */
export async function repeatConcurrently<T>(times: number, concurrency: number, work: () => Promise<T>, stagger = 0) {
  agent = new Agent({ keepAlive: true });
  const results: T[] = [];
  let remaining = times;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async (_, index) => {
      await new Promise((done) => setTimeout(done, (stagger * index) / concurrency));
      while (remaining > 0) {
        remaining -= 1;
        results.push(await work());
      }
    }),
  );
  return { results, seconds: (performance.now() - started) / 1000 };
}

/** Starts work at an even rate, whether or not earlier work has finished. */
export async function repeatAtRate(times: number, perSecond: number, work: () => Promise<unknown>): Promise<void> {
  agent = new Agent({ keepAlive: true });
  const started = performance.now();
  const pending: Promise<unknown>[] = [];
  for (let index = 0; index < times; index += 1) {
    const due = started + (index * 1000) / perSecond;
    if (due > performance.now()) await new Promise((done) => setTimeout(done, due - performance.now()));
    pending.push(work());
  }
  await Promise.all(pending);
}

/** Returns the CPU seconds that all threads of a process have used. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Returns the resident memory of a process in megabytes. */
export const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000;

/** Returns the CPU seconds per 1,000 repetitions of work that ran `times` repetitions. */
export async function cpuPer1000(target: Target, times: number, work: () => Promise<unknown>): Promise<number> {
  if (target.pid === undefined) {
    await work();
    return 0;
  }
  const before = cpuOf(target.pid);
  await work();
  // Includes the work that follows the last byte.
  await new Promise((done) => setTimeout(done, 300));
  return ((cpuOf(target.pid) - before) * 1000) / times;
}

export { median };
