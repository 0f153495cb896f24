import { useEffect, useRef, useState } from 'react';
import { getAiProviderStats, listAiCalls } from '../../contract/ai/calls.ts';
import { createChatCompletion } from '../../contract/ai/chat.ts';
import { getAiCredits, getAiUsage } from '../../contract/ai/management.ts';
import { useApi } from '../api/context.ts';
import { Failure } from '../api/failure.ts';
import { useInvalidate } from '../api/use-api-query.ts';
import { type ChatDelta, readChat } from './chat-stream.ts';
import { type PlaygroundSettings, toRequest } from './playground-code.ts';

export interface Turn {
  id: number;
  role: 'user' | 'assistant';
  content: string;
  model: string;
  usage: ChatDelta['usage'];
  /** Milliseconds from the request to the first and to the last text of the response. */
  timing?: { firstMs: number; lastMs: number };
  /** True for a message without a response, or a response that was interrupted. */
  failed?: boolean;
}

/** The conversations shown side by side. The second one is used while two models are compared. */
export type Lane = 'first' | 'second';

/** Module state: conversations survive navigation, but not a reload. */
const conversations: Record<Lane, readonly Turn[]> = { first: [], second: [] };

export interface Chat {
  turns: readonly Turn[];
  isBusy: boolean;
  error: unknown;
  send: (model: string, text: string, settings: PlaygroundSettings) => Promise<void>;
  /** Sends the last message again, without its failed response. */
  retry: (model: string, settings: PlaygroundSettings) => Promise<void>;
  stop: () => void;
  clear: () => void;
}

const streamFailure = (message: string) =>
  new Failure(message, { status: 502, code: 'server_error', requestId: undefined, retryAfter: undefined });

/** A conversation with streamed responses. Leaving the screen aborts the current response, so that it costs nothing further. */
export function useChat(lane: Lane): Chat {
  const api = useApi();
  const refresh = useInvalidate();
  const [turns, setShown] = useState(conversations[lane]);
  const setTurns = (change: (turns: readonly Turn[]) => readonly Turn[]) => {
    conversations[lane] = change(conversations[lane]);
    setShown(conversations[lane]);
  };
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const ask = async (before: readonly Turn[], model: string, text: string, settings: PlaygroundSettings) => {
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
    const change = (turn: Turn, update: (turn: Turn) => Turn) =>
      setTurns((current) => current.map((other) => (other.id === turn.id ? update(other) : other)));
    const append = ({ text: delta, usage }: ChatDelta) =>
      change(answer, (turn) => ({ ...turn, content: turn.content + delta, usage }));
    /** Records the time to the first text and to the latest one. */
    const measure = (ms: number) =>
      change(answer, (turn) => ({ ...turn, timing: { firstMs: turn.timing?.firstMs ?? ms, lastMs: ms } }));
    try {
      const body = { ...toRequest(model, messages, settings), stream: true };
      const askedAt = performance.now();
      for await (const delta of readChat(await api.stream(createChatCompletion, body, controller.signal))) {
        append(delta);
        if (delta.text !== '') measure(performance.now() - askedAt);
        if (delta.error !== undefined) throw streamFailure(delta.error);
      }
    } catch (thrown) {
      if (!controller.signal.aborted) setError(thrown);
      for (const turn of [question, answer]) change(turn, (current) => ({ ...current, failed: true }));
      setTurns((current) => current.filter((turn) => turn.id !== answer.id || turn.content !== ''));
    } finally {
      setIsBusy(false);
      refresh([getAiCredits, getAiUsage, listAiCalls, getAiProviderStats]);
    }
  };
  return {
    turns,
    isBusy,
    error,
    send: (model, text, settings) => ask(conversations[lane], model, text, settings),
    retry: async (model, settings) => {
      const last = conversations[lane].findLast(({ role }) => role === 'user');
      if (last)
        await ask(
          conversations[lane].filter(({ id }) => id < last.id),
          model,
          last.content,
          settings,
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
