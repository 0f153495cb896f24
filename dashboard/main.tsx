import './mantine.css';
import './ui/colors.css';
import './shell/shell.css';
import './dashboard.css';
import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { Api } from './api/api.ts';
import { chosenAccount, followAccountLink } from './login/account-choice.ts';
import { followRestores } from './login/restored-page.ts';
import { Session } from './login/session.ts';
import { readSettings } from './settings.ts';
import { MissingSettings } from './shell/MissingSettings.tsx';
import { prefetchFor } from './shell/nav.ts';
import { Theme } from './shell/Theme.tsx';

async function start() {
  followAccountLink();
  // Fixes the account of this tab before another tab can choose a different one.
  chosenAccount();
  // Loads the screen's chunk in parallel with the settings.
  prefetchFor(location.pathname.slice(import.meta.env.BASE_URL.length - 1));
  const settings = await readSettings();
  const session = new Session(settings, new URL(import.meta.env.BASE_URL, location.origin).href);
  session.load();
  followRestores(session);
  return <App api={new Api(settings, session)} />;
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
const shown = await start().catch((error: unknown) => <MissingSettings error={error} />);
// A transition yields to the user's input every few milliseconds. A synchronous first render would block a phone.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <Theme>{shown}</Theme>
    </StrictMode>,
  ),
);
