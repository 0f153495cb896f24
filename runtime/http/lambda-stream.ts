import type { Writable } from 'node:stream';
import type { chat, StartResponse } from './chat.ts';
import type { Event } from './response.ts';

type StreamingHandler = (event: Event, stream: Writable, context: unknown) => Promise<void>;

/** The global that Lambda's Node runtime defines before it imports the bundle of a function. */
interface AwsLambda {
  streamifyResponse(handler: StreamingHandler): StreamingHandler;
  HttpResponseStream: {
    from(stream: Writable, head: Parameters<StartResponse>[0]): Writable;
  };
}
declare const awslambda: AwsLambda;

/** Creates a Lambda handler that streams its HTTP response. The invocation continues after the end of the response. */
export const streaming = (handle: typeof chat): StreamingHandler =>
  awslambda.streamifyResponse(async (event, stream) => {
    const disconnected = new AbortController();
    // A caller that disconnects closes the stream before its end (docs/decisions/0012-ai-gateway.md).
    stream.on('error', () => disconnected.abort());
    stream.on('close', () => {
      if (!stream.writableFinished) disconnected.abort();
    });
    await handle(event, (head) => awslambda.HttpResponseStream.from(stream, head), disconnected.signal);
  });
