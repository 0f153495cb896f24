/** Content of one frame of a chat stream. */
export interface ChatDelta {
  text: string;
  usage: { prompt_tokens: number; completion_tokens: number } | undefined;
  /** The gateway's error message if the stream failed. */
  error: string | undefined;
}

interface Chunk {
  choices?: { delta?: { content?: string | null } }[];
  usage?: ChatDelta['usage'] | null;
  error?: { message: string };
}

/** Parses a frame. Returns undefined for comments and the end marker. */
function parseFrame(frame: string): ChatDelta | undefined {
  const data = frame
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
  if (data === '' || data === '[DONE]') return undefined;
  const { choices, usage, error } = JSON.parse(data) as Chunk;
  return { text: choices?.[0]?.delta?.content ?? '', usage: usage ?? undefined, error: error?.message };
}

/** Yields the frames of a chat response as they arrive. Frames end at a blank line and may span network chunks. */
export async function* readChat(body: ReadableStream<Uint8Array>): AsyncGenerator<ChatDelta> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let buffered = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      buffered += decoder.decode(value, { stream: !done });
      const frames = buffered.split(/\r?\n\r?\n/);
      buffered = done ? '' : (frames.pop() ?? '');
      for (const frame of frames) {
        const delta = parseFrame(frame);
        if (delta) yield delta;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}
