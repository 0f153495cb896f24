import { useEffect, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { RightContext } from '../api/rights.ts';
import { NotFound } from '../ui/NotFound.tsx';
import { Skeletons } from '../ui/QueryBoundary.tsx';
import type { Area } from './area.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { isCurrent, NAV_ITEMS } from './nav.ts';

/**
 * Renders the screens of an area as soon as their code has arrived. `Suspense` would hold them back, and so their reads, until its
 * fallback has been shown for 300 ms.
 */
function AreaScreens({ area }: { area: Area }) {
  const [failure, setFailure] = useState<{ error: unknown }>();
  const [Arrived, setArrived] = useState(() => area.screens);
  useEffect(() => {
    if (Arrived) return;
    area.visit().then(
      (screens) => setArrived(() => screens),
      (error: unknown) => setFailure({ error }),
    );
  }, [area, Arrived]);
  if (failure) throw failure.error;
  return Arrived ? <Arrived /> : <Skeletons lines={4} />;
}

/** Renders the screen of the current URL. An area that failed leaves the others usable. */
export function Screens() {
  const [location] = useLocation();
  const current = NAV_ITEMS.findLast(({ href }) => isCurrent(location, href));
  return (
    <ErrorBoundary key={current?.href}>
      <RightContext value={current?.right ?? 'member'}>
        <Switch>
          {NAV_ITEMS.map(({ href, area }) => (
            <Route key={href} path={href === '/' ? href : `${href}/*?`}>
              <AreaScreens area={area} />
            </Route>
          ))}
          <Route component={NotFound} />
        </Switch>
      </RightContext>
    </ErrorBoundary>
  );
}
