import type { ChatRequest } from '../../contract/ai/chat.ts';
import { estimateTokens, IMAGE_ESTIMATE, type Usage } from '../../providers/ai/usage.ts';

/** The pictures of a request, and the bytes of those that it contains in base64. */
export function measureImages({ messages }: ChatRequest): { count: number; base64Bytes: number } {
  const images = { count: 0, base64Bytes: 0 };
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const { type, image_url } of content) {
      // The contract has judged the address of a part of this type, and of no other.
      if (type !== 'image_url' || !image_url) continue;
      images.count += 1;
      const { url } = image_url;
      if (/^data:/i.test(url)) images.base64Bytes += url.length - url.indexOf(',') - 1;
    }
  }
  return images;
}

/** Estimates the tokens of a prompt from the size of the body. */
function estimateInput(request: ChatRequest, bodyBytes: number): number {
  const { count, base64Bytes } = measureImages(request);
  return estimateTokens(Math.max(0, bodyBytes - base64Bytes)) + count * IMAGE_ESTIMATE;
}

/** Estimates a call's usage where the provider reports none. */
export function estimator(request: ChatRequest, body: string): (streamedBytes: number) => Usage {
  let input: number | undefined;
  return (streamedBytes) => {
    input ??= estimateInput(request, Buffer.byteLength(body));
    return { input, cached: 0, cacheWrite: 0, output: estimateTokens(streamedBytes) };
  };
}
