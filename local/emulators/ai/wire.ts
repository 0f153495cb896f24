import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Pace } from './reply.ts';

/** Writes replies to the wire and injects faults there. */

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const HTML = '<!doctype html><html><title>502</title><h1>Bad gateway</h1></html>';
/** Longer than any client waits. */
const HANG_MS = 20 * 60_000;

/** Sends the fault in place of a reply. Returns false if the fault does not replace the reply. */
async function sendFault(response: ServerResponse, fault: string): Promise<boolean> {
  if (fault === 'hang') await pause(HANG_MS);
  else if (fault === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end(HTML);
  else return false;
  return true;
}

/** Sends the reply in one piece, or the requested fault in its place. */
export async function sendWhole(response: ServerResponse, fault: string, document: object): Promise<void> {
  if (await sendFault(response, fault)) return;
  const body = Buffer.from(JSON.stringify(document));
  if (fault === 'close-mid') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.write(body.subarray(0, body.length >> 1));
    await pause(20);
    response.destroy();
    return;
  }
  if (fault === 'gzip') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(gzipSync(body));
    return;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

/** Frames of a stream: before the text, one per token, and after the text. */
export interface Script {
  before: string[];
  tokens: string[];
  after: string[];
  /** The frame of an error in the middle of a stream. */
  error: string;
}

const COMMENTS = ': keep-alive\n\n';
const UNKNOWN = 'event: some_new_event\ndata: {"type":"some_new_event","value":1}\n\n';

/** Faults that interrupt a stream in its middle. */
const MIDDLE_FAULTS = new Map<string, (response: ServerResponse, script: Script) => unknown>([
  ['hang-mid', () => pause(HANG_MS)],
  ['close-mid', (response) => response.destroy()],
  ['end-mid', (response) => response.end()],
  ['error-mid', (response, { error }) => response.end(error)],
]);

/** Streams a script at the pace of a model. Stops when the client disconnects. */
export async function sendStream(response: ServerResponse, fault: string, script: Script, pace: Pace): Promise<void> {
  if (await sendFault(response, fault)) return;
  const frames = [...script.before, ...script.tokens, ...script.after];
  if (fault === 'gzip') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    response.end(gzipSync(frames.join('')));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  const middle = script.before.length + (script.tokens.length >> 1);
  await pause(pace.first);
  for (const [index, frame] of frames.entries()) {
    if (response.destroyed) return;
    const interrupt = index === middle ? MIDDLE_FAULTS.get(fault) : undefined;
    if (interrupt) {
      await interrupt(response, script);
      return;
    }
    if (fault === 'comments') response.write(COMMENTS);
    if (fault === 'unknown-events') response.write(UNKNOWN);
    await writeFrame(response, fault === 'crlf' ? frame.replaceAll('\n', '\r\n') : frame, fault === 'bytes');
    if (index >= script.before.length && index < frames.length - script.after.length) await pause(pace.next);
  }
  response.end();
}

async function writeFrame(response: ServerResponse, frame: string, byteByByte: boolean): Promise<void> {
  const bytes = Buffer.from(frame);
  if (!byteByByte) {
    if (!response.write(bytes)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    return;
  }
  for (const byte of bytes) {
    response.write(Buffer.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
}
