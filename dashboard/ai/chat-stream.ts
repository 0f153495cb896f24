/** What one frame of a chat's stream says. */
export interface ChatDelta {
  text: string;
  usage: { prompt_tokens: number; completion_tokens: number } | undefined;
  /** The stream broke upstream, in the gateway's words. */
  error: string | undefined;
}

interface Chunk {
  choices?: { delta?: { content?: string | null } }[];
  usage?: ChatDelta['usage'] | null;
  error?: { message: string };
}

/** A frame's data; undefined for comments and for the end. */
function read(frame: string): ChatDelta | undefined {
  const data = frame
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
  if (data === '' || data === '[DONE]') return undefined;
  const { choices, usage, error } = JSON.parse(data) as Chunk;
  return { text: choices?.[0]?.delta?.content ?? '', usage: usage ?? undefined, error: error?.message };
}

/** The frames of a chat's answer as they come; frames end at a blank line, wherever the chunks are cut. */
export async function* readChat(body: ReadableStream<Uint8Array>): AsyncGenerator<ChatDelta> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const frames = rest.split(/\r?\n\r?\n/);
      rest = done ? '' : (frames.pop() ?? '');
      for (const frame of frames) {
        const delta = read(frame);
        if (delta) yield delta;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}
