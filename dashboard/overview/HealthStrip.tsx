import type { Health } from './health.ts';
import './overview.css';

/** The state of every part of the account at a glance. */
export const HealthStrip = ({ items }: { items: readonly Health[] }) => (
  <ul aria-label="Health" className="card health-strip">
    {items.map(({ name, status, text }) => (
      <li key={name} className="health">
        <span className={`health-dot health-${status}`} aria-hidden="true" />
        <span>
          <span className="health-name">{name}</span>
          <span className="health-text">{text}</span>
        </span>
      </li>
    ))}
  </ul>
);
