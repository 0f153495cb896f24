import { entryOf } from '../../contract/enums.ts';
import { Status } from '../ui/Status.tsx';
import type { Application } from './api.ts';
import { type AppState, appState } from './app-state.ts';

const LABELS: Readonly<Record<AppState, string>> = {
  DELETING: 'Deleting',
  SUSPENDED: 'Suspended',
  BUILDING: 'Deploying',
  LIVE: 'Live',
  FAILED: 'Failed',
  NOT_DEPLOYED: 'Not deployed',
};

/** Returns the label of a state. Unknown text, which the filter in the URL may have, is returned unchanged. */
export const stateLabel = (state: string): string => entryOf<string, string>(LABELS, state) ?? state;

/** The status of an application: live, or why it is not. */
export const AppStatus = ({ app }: { app: Application }) => {
  const state = appState(app);
  return <Status value={state} label={LABELS[state]} />;
};
