import { createContext, useContext } from 'react';
import type { Api } from './api.ts';

export const ApiContext = createContext<Api | undefined>(undefined);

/** Returns the API client of the signed-in user. Throws outside of an {@link ApiContext}. */
export function useApi(): Api {
  const api = useContext(ApiContext);
  if (!api) throw new Error('useApi must be used inside of an ApiContext');
  return api;
}
