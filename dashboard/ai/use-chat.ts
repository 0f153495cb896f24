import { useEffect, useRef, useState } from 'react';
import { createChatCompletion } from '../../contract/ai/chat.ts';
import { getAiCredits } from '../../contract/ai/management.ts';
import { useApi } from '../api/context.ts';
import { Failure } from '../api/failure.ts';
import { useRefresh } from '../api/use-api-query.ts';
import { type ChatDelta, readChat } from './chat-stream.ts';

export interface Turn {
  id: number;
  role: 'user' | 'assistant';
  content: string;
  model: string;
  usage: ChatDelta['usage'];
}

interface Chat {
  turns: readonly Turn[];
  busy: boolean;
  error: unknown;
  send: (model: string, text: string) => Promise<void>;
  stop: () => void;
  clear: () => void;
}

const broke = (message: string) =>
  new Failure(message, { status: 502, code: 'server_error', requestId: undefined, retryAfter: undefined });

/** A conversation whose answers come as they are made. Leaving the page ends the one under way, and its cost. */
export function useChat(): Chat {
  const api = useApi();
  const refresh = useRefresh();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const send = async (model: string, text: string) => {
    const control = new AbortController();
    running.current = control;
    const asked: Turn = { id: turns.length, role: 'user', content: text, model, usage: undefined };
    const answer: Turn = { ...asked, id: asked.id + 1, role: 'assistant', content: '' };
    const messages = [...turns, asked]
      .filter(({ content }) => content !== '')
      .map(({ role, content }) => ({ role, content }));
    setError(undefined);
    setBusy(true);
    setTurns([...turns, asked, answer]);
    const grow = ({ text: more, usage }: ChatDelta) =>
      setTurns((so) =>
        so.map((turn) => (turn.id === answer.id ? { ...turn, content: turn.content + more, usage } : turn)),
      );
    try {
      const body = { model, messages, stream: true };
      for await (const delta of readChat(await api.stream(createChatCompletion, body, control.signal))) {
        grow(delta);
        if (delta.error !== undefined) throw broke(delta.error);
      }
    } catch (thrown) {
      if (!control.signal.aborted) setError(thrown);
      setTurns((so) => so.filter((turn) => turn.id !== answer.id || turn.content !== ''));
    } finally {
      setBusy(false);
      refresh([getAiCredits]);
    }
  };
  return {
    ...{ turns, busy, error, send },
    stop: () => running.current?.abort(),
    clear: () => {
      running.current?.abort();
      setTurns([]);
      setError(undefined);
    },
  };
}
