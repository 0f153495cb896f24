import { memo } from 'react';
import { LinkRow } from '../ui/Row.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { AppStatus } from './AppStatus.tsx';
import { type Application, servingDomain } from './api.ts';
import { FRAMEWORK_LABELS } from './labels.ts';

/** Applications as links, each with its status. */
export const AppRows = ({ apps }: { apps: readonly Application[] }) => (
  <div className="card">
    {apps.map((app) => (
      <AppRow key={app.id} app={app} />
    ))}
  </div>
);

const AppRow = memo(({ app }: { app: Application }) => (
  <LinkRow
    href={`/apps/${app.id}`}
    title={app.name}
    detail={`${servingDomain(app)} · ${FRAMEWORK_LABELS[app.framework]} · ${app.branch}`}
  >
    <span className="row-detail">
      created <TimeAgo at={app.createdAt} />
    </span>
    <AppStatus app={app} />
  </LinkRow>
));
