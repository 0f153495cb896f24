import { useEffect, useRef, useState } from 'react';
import { createChatCompletion } from '../../contract/ai/chat.ts';
import { getAiCredits, getAiUsage } from '../../contract/ai/management.ts';
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
  /** A question without an answer, or an answer that broke off. */
  failed?: boolean;
}

/** The conversation outlives a change of screen, and ends with the page. */
let kept: readonly Turn[] = [];

interface Chat {
  turns: readonly Turn[];
  isBusy: boolean;
  error: unknown;
  send: (model: string, text: string) => Promise<void>;
  /** Sends the last question again, without its failed answer. */
  retry: (model: string) => Promise<void>;
  stop: () => void;
  clear: () => void;
}

const streamFailure = (message: string) =>
  new Failure(message, { status: 502, code: 'server_error', requestId: undefined, retryAfter: undefined });

/** A conversation with streamed responses. Leaving the page aborts the current response, which stops its cost. */
export function useChat(): Chat {
  const api = useApi();
  const refresh = useInvalidate();
  const [turns, setShown] = useState(kept);
  const setTurns = (change: (turns: readonly Turn[]) => readonly Turn[]) => {
    kept = change(kept);
    setShown(kept);
  };
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const ask = async (before: readonly Turn[], model: string, text: string) => {
    const controller = new AbortController();
    running.current = controller;
    const id = 1 + Math.max(-1, ...before.map((turn) => turn.id));
    const question: Turn = { id, role: 'user', content: text, model, usage: undefined };
    const answer: Turn = { ...question, id: id + 1, role: 'assistant', content: '' };
    const messages = [...before.filter(({ failed }) => !failed), question].map(({ role, content }) => ({
      role,
      content,
    }));
    setError(undefined);
    setIsBusy(true);
    setTurns(() => [...before, question, answer]);
    const change = (turn: Turn, what: (turn: Turn) => Turn) =>
      setTurns((current) => current.map((each) => (each.id === turn.id ? what(each) : each)));
    const append = ({ text: delta, usage }: ChatDelta) =>
      change(answer, (turn) => ({ ...turn, content: turn.content + delta, usage }));
    try {
      const body = { model, messages, stream: true };
      for await (const delta of readChat(await api.stream(createChatCompletion, body, controller.signal))) {
        append(delta);
        if (delta.error !== undefined) throw streamFailure(delta.error);
      }
    } catch (thrown) {
      if (!controller.signal.aborted) {
        setError(thrown);
        for (const turn of [question, answer]) change(turn, (current) => ({ ...current, failed: true }));
      }
      setTurns((current) => current.filter((turn) => turn.id !== answer.id || turn.content !== ''));
    } finally {
      setIsBusy(false);
      refresh([getAiCredits, getAiUsage]);
    }
  };
  return {
    ...{ turns, isBusy, error },
    send: (model, text) => ask(kept, model, text),
    retry: async (model) => {
      const last = kept.findLast(({ role }) => role === 'user');
      if (last)
        await ask(
          kept.filter(({ id }) => id < last.id),
          model,
          last.content,
        );
    },
    stop: () => running.current?.abort(),
    clear: () => {
      running.current?.abort();
      setTurns(() => []);
      setError(undefined);
    },
  };
}
