import { QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { Route, Router, Switch } from 'wouter';
import type { Api } from './api/api.ts';
import { ApiContext } from './api/context.ts';
import { createQueryClient } from './api/query-client.ts';
import { Callback } from './login/Callback.tsx';
import { SessionContext } from './login/context.ts';
import { RequireAuth } from './login/RequireAuth.tsx';
import { SignInPopup } from './login/SignInPopup.tsx';
import { Screens } from './shell/Screens.tsx';
import { Shell } from './shell/Shell.tsx';

const base = import.meta.env.BASE_URL.replace(/\/$/, '');

/** The dashboard: provides the session, the API client and the query cache to its routes. */
export function App({ api }: { api: Api }) {
  const [queries] = useState(createQueryClient);
  return (
    <ApiContext value={api}>
      <SessionContext value={api.session}>
        {' '}
        <QueryClientProvider client={queries}>
          <Router base={base}>
            <Switch>
              <Route path="/callback" component={Callback} />
              <Route path="/sign-in" component={SignInPopup} />
              <Route>
                <RequireAuth>
                  <Shell>
                    <Screens />
                  </Shell>
                </RequireAuth>
              </Route>
            </Switch>
          </Router>
        </QueryClientProvider>
      </SessionContext>{' '}
    </ApiContext>
  );
}
