import type { ChatRequest } from '../../contract/ai/chat.ts';
import { estimateTokens, IMAGE_ESTIMATE, type Usage } from '../../providers/ai/usage.ts';

/** The images of a request. */
export interface Images {
  /** Images that the request contains, in base64. */
  embedded: number;
  /** Total length of the embedded images in base64. */
  base64Bytes: number;
  /** Images that the request refers to by URL. */
  addressed: number;
}

/** Counts the images in the messages of a request, and measures those in base64. */
export function measureImages({ messages }: ChatRequest): Images {
  const images: Images = { embedded: 0, base64Bytes: 0, addressed: 0 };
  for (const { content } of messages) {
    if (!Array.isArray(content)) continue;
    for (const { type, image_url } of content) {
      // The contract validates the URL of parts of this type only.
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
 * Returns a function that estimates a call's usage if the provider reports none.
 *
 * @param body the body that is sent to the provider
 * @param contextLimit size of the model's context in tokens, which no prompt exceeds
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
