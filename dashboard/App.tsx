import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { Route, Router, Switch } from 'wouter';
import type { Api } from './api/api.ts';
import { ApiContext } from './api/context.ts';
import { makeQueryClient } from './api/queries.ts';
import { Callback } from './login/Callback.tsx';
import { Gate } from './login/Gate.tsx';
import { SignInAgain } from './login/SignInAgain.tsx';
import { Screens } from './shell/Screens.tsx';
import { Shell } from './shell/Shell.tsx';

const base = import.meta.env.BASE_URL.replace(/\/$/, '');

/** The dashboard: who is signed in, what is read, and which screen is shown. */
export function App({ api }: { api: Api }) {
  const [queries] = useState(makeQueryClient);
  return (
    <ApiContext value={api}>
      <QueryClientProvider client={queries}>
        <Router base={base}>
          <Switch>
            <Route path="/callback" component={Callback} />
            <Route path="/sign-in" component={SignInAgain} />
            <Route>
              <Gate>
                <Shell>
                  <Screens />
                </Shell>
              </Gate>
            </Route>
          </Switch>
        </Router>
      </QueryClientProvider>
    </ApiContext>
  );
}
