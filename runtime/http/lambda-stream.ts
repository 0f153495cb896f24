import type { Writable } from 'node:stream';
import type { Event } from '../answer.ts';

type StreamingHandler = (event: Event, stream: Writable, context: unknown) => Promise<void>;

/** What Lambda's Node runtime puts there before it imports the bundle of a function. */
interface AwsLambda {
  streamifyResponse(handler: StreamingHandler): StreamingHandler;
  HttpResponseStream: {
    from(stream: Writable, head: { statusCode: number; headers: Record<string, string> }): Writable;
  };
}
declare const awslambda: AwsLambda;

type Answering = (
  event: Event,
  open: (head: { statusCode: number; headers: Record<string, string> }) => Writable,
  signal: AbortSignal,
) => Promise<void>;

/** A Lambda handler that streams its HTTP answer. What it does after the end of the answer is still part of the invocation. */
export const streaming = (answer: Answering): StreamingHandler =>
  awslambda.streamifyResponse(async (event, stream) => {
    const leaving = new AbortController();
    // A caller that leaves closes the stream before its end. (Lambda itself does not say so: docs/decisions/ai-gateway.md.)
    stream.on('error', () => leaving.abort());
    stream.on('close', () => {
      if (!stream.writableFinished) leaving.abort();
    });
    await answer(event, (head) => awslambda.HttpResponseStream.from(stream, head), leaving.signal);
  });
