import { describe, expect, test } from 'vitest';
import { type ChatDelta, readChat } from './chat-stream.ts';

const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

async function deltasOf(text: string, size: number): Promise<ChatDelta[]> {
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.slice(i * size, (i + 1) * size),
  );
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const deltas: ChatDelta[] = [];
  for await (const delta of readChat(body)) deltas.push(delta);
  return deltas;
}

describe('a streamed response', () => {
  test.each([1, 2, 3, 7, 4096])('is read whole when it arrives %i bytes at a time', async (size) => {
    const usage = { prompt_tokens: 1, completion_tokens: 2 };
    const end = `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;
    const deltas = await deltasOf(`: a comment\n\n${chunk('Sawubona ')}${chunk('✓ 你好')}${end}`, size);
    expect(deltas.map(({ text }) => text).join('')).toBe('Sawubona ✓ 你好');
    expect(deltas.at(-1)?.usage).toEqual(usage);
  });

  test('is read with CRLF line ends too', async () => {
    const deltas = await deltasOf((chunk('a') + chunk('b')).replaceAll('\n', '\r\n'), 5);
    expect(deltas.map(({ text }) => text)).toEqual(['a', 'b']);
  });

  test('that breaks off reports the reason', async () => {
    const broken = `${chunk('half')}data: {"error":{"message":"It broke.","code":"server_error","status":502}}\n\n`;
    expect((await deltasOf(broken, 9)).at(-1)?.error).toBe('It broke.');
  });
});
