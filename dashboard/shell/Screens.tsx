import { lazy, Suspense } from 'react';
import { Route, Switch } from 'wouter';
import { Waiting } from '../ui/Loaded.tsx';
import { NotFound } from './NotFound.tsx';
import { Stumble } from './Stumble.tsx';

/** Each area is a file of its own, fetched when it is first gone to. */
const Overview = lazy(() => import('../overview/Overview.tsx'));
const Apps = lazy(() => import('../apps/Apps.tsx'));
const Domains = lazy(() => import('../domains/Domains.tsx'));
const Hosting = lazy(() => import('../hosting/Hosting.tsx'));
const Billing = lazy(() => import('../billing/Billing.tsx'));
const Ai = lazy(() => import('../ai/Ai.tsx'));
const Developers = lazy(() => import('../developers/Developers.tsx'));

export const Screens = () => (
  <Stumble>
    <Suspense fallback={<Waiting lines={4} />}>
      <Switch>
        <Route path="/" component={Overview} />
        <Route path="/apps/*?" component={Apps} />
        <Route path="/domains/*?" component={Domains} />
        <Route path="/hosting/*?" component={Hosting} />
        <Route path="/billing/*?" component={Billing} />
        <Route path="/ai/*?" component={Ai} />
        <Route path="/developers/*?" component={Developers} />
        <Route component={NotFound} />
      </Switch>
    </Suspense>
  </Stumble>
);
