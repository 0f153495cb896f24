import { useEffect, useRef, useState } from 'react';
import { createChatCompletion } from '../../contract/ai/chat.ts';
import { getAiCredits } from '../../contract/ai/management.ts';
import { useApi } from '../api/context.ts';
import { Failure } from '../api/failure.ts';
import { useInvalidate } from '../api/use-api-query.ts';
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
  isBusy: boolean;
  error: unknown;
  send: (model: string, text: string) => Promise<void>;
  stop: () => void;
  clear: () => void;
}

const streamFailure = (message: string) =>
  new Failure(message, { status: 502, code: 'server_error', requestId: undefined, retryAfter: undefined });

/** A conversation with streamed responses. Leaving the page aborts the current response, which stops its cost. */
export function useChat(): Chat {
  const api = useApi();
  const refresh = useInvalidate();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const send = async (model: string, text: string) => {
    const controller = new AbortController();
    running.current = controller;
    const question: Turn = { id: turns.length, role: 'user', content: text, model, usage: undefined };
    const answer: Turn = { ...question, id: question.id + 1, role: 'assistant', content: '' };
    const messages = [...turns, question]
      .filter(({ content }) => content !== '')
      .map(({ role, content }) => ({ role, content }));
    setError(undefined);
    setIsBusy(true);
    setTurns([...turns, question, answer]);
    const append = ({ text: delta, usage }: ChatDelta) =>
      setTurns((current) =>
        current.map((turn) => (turn.id === answer.id ? { ...turn, content: turn.content + delta, usage } : turn)),
      );
    try {
      const body = { model, messages, stream: true };
      for await (const delta of readChat(await api.stream(createChatCompletion, body, controller.signal))) {
        append(delta);
        if (delta.error !== undefined) throw streamFailure(delta.error);
      }
    } catch (thrown) {
      if (!controller.signal.aborted) setError(thrown);
      setTurns((current) => current.filter((turn) => turn.id !== answer.id || turn.content !== ''));
    } finally {
      setIsBusy(false);
      refresh([getAiCredits]);
    }
  };
  return {
    ...{ turns, isBusy, error, send },
    stop: () => running.current?.abort(),
    clear: () => {
      running.current?.abort();
      setTurns([]);
      setError(undefined);
    },
  };
}
