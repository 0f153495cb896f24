import type { ChatRequest } from '../../contract/ai/chat.ts';
import { estimateTokens, IMAGE_ESTIMATE, type Usage } from '../../providers/ai/usage.ts';

/** The pictures of a request: those that it contains in base64, with their bytes, and those that it names by address. */
export interface Images {
  embedded: number;
  base64Bytes: number;
  addressed: number;
}

export function measureImages({ messages }: ChatRequest): Images {
  const images: Images = { embedded: 0, base64Bytes: 0, addressed: 0 };
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const { type, image_url } of content) {
      // The contract has judged the address of a part of this type, and of no other.
      if (type !== 'image_url' || !image_url) continue;
      const { url } = image_url;
      if (/^data:/i.test(url)) {
        images.embedded += 1;
        images.base64Bytes += url.length - url.indexOf(',') - 1;
      } else images.addressed += 1;
    }
  }
  return images;
}

/** Estimates the tokens of a prompt from the size of the body. */
function estimateInput(request: ChatRequest, bodyBytes: number): number {
  const { embedded, addressed, base64Bytes } = measureImages(request);
  return estimateTokens(Math.max(0, bodyBytes - base64Bytes)) + (embedded + addressed) * IMAGE_ESTIMATE;
}

/**
 * Estimates a call's usage where the provider reports none.
 *
 * @param body what is sent
 * @param contextLimit tokens of the model's context, which no prompt exceeds
 */
export function estimator(
  request: ChatRequest,
  body: string,
  contextLimit = Number.POSITIVE_INFINITY,
): (streamedBytes: number) => Usage {
  let input: number | undefined;
  return (streamedBytes) => {
    input ??= Math.min(contextLimit, estimateInput(request, Buffer.byteLength(body)));
    return { input, cached: 0, cacheWrite: 0, output: estimateTokens(streamedBytes) };
  };
}
