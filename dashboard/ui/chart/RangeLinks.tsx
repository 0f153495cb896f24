import { Link } from 'wouter';
import './chart.css';

interface RangeLinksProps<R extends string> {
  ranges: readonly { range: R; name: string }[];
  current: R;
  /** Returns the URL of a range. */
  hrefOf: (range: R) => string;
}

/** Links to choose a time range. Each range has a URL. */
export const RangeLinks = <R extends string>({ ranges, current, hrefOf }: RangeLinksProps<R>) => (
  <nav className="ranges" aria-label="Time range">
    {ranges.map(({ range, name }) => (
      <Link key={range} href={hrefOf(range)} replace aria-current={range === current ? 'true' : undefined}>
        {name}
      </Link>
    ))}
  </nav>
);
