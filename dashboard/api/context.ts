import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Session, SessionState } from '../login/session.ts';
import type { Api } from './api.ts';

export const ApiContext = createContext<Api | undefined>(undefined);

/** The API as the person who is signed in. */
export function useApi(): Api {
  const api = useContext(ApiContext);
  if (!api) throw new Error('there is no ApiContext around this');
  return api;
}

export const useSession = (): Session => useApi().session;

export function useSessionState(): SessionState {
  const session = useSession();
  return useSyncExternalStore(session.subscribe, () => session.state);
}
