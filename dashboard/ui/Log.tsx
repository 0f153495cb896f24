import { Button } from '@mantine/core';
import { Fragment, memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { plainOf, readAnsi } from './ansi.ts';
import { LogTools } from './LogToolbar.tsx';

/** Lines that are laid out together; those out of sight cost nothing (content-visibility in dashboard.css). */
const PART = 200;

function partsOf(lines: readonly string[]): { from: number; text: string }[] {
  const parts: { from: number; text: string }[] = [];
  for (let from = 0; from < lines.length; from += PART) {
    parts.push({ from, text: lines.slice(from, from + PART).join('\n') });
  }
  return parts;
}

const Part = memo(({ text }: { text: string }) => (
  <div className="log-part">
    {readAnsi(text).map(({ text: shown, className }, index) => {
      const key = `${index}`;
      return className === '' ? (
        <Fragment key={key}>{shown}</Fragment>
      ) : (
        <span key={key} className={className}>
          {shown}
        </span>
      );
    })}
  </div>
));

interface LogProps {
  /** What it is the log of, for those who hear it. */
  name: string;
  lines: readonly string[];
  /** It grows: what is added is heard, and it can be made to hold still. */
  live: boolean;
  paused: boolean;
  pause: (paused: boolean) => void;
  /** What it is called when it is saved. */
  fileName: string;
}

/**
 * A log as it stands, with its colours: it can be searched, copied and saved. While it grows it stays at its end, unless the
 * reader has scrolled up.
 */
export function Log({ name, lines, live, paused, pause, fileName }: LogProps) {
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const [wanted, setWanted] = useState('');
  const shown = useMemo(() => {
    const low = wanted.toLowerCase();
    return low === '' ? lines : lines.filter((line) => plainOf(line).toLowerCase().includes(low));
  }, [lines, wanted]);
  const content = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const toEnd = useCallback(() => box.current?.scrollTo({ top: box.current.scrollHeight }), []);
  // Lines get their height when they come into sight: whatever changes it, the end stays the end.
  useEffect(() => {
    if (!atEnd || !content.current) return;
    const observer = new ResizeObserver(toEnd);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [atEnd, toEnd]);
  /** Whoever scrolls up wants to read; what grows below moves nobody. */
  const scrolled = ({ scrollTop, scrollHeight, clientHeight }: HTMLDivElement) => {
    if (scrollHeight - scrollTop - clientHeight < 40) setAtEnd(true);
    else if (scrollTop < lastTop.current) setAtEnd(false);
    lastTop.current = scrollTop;
  };
  return (
    <div className="log-box">
      <LogTools
        wanted={wanted}
        search={setWanted}
        found={wanted === '' ? undefined : shown.length}
        text={() => plainOf(lines.join('\n'))}
        fileName={fileName}
      >
        {live && (
          <Button size="xs" variant="default" onClick={() => pause(!paused)}>
            {paused ? 'Follow' : 'Pause'}
          </Button>
        )}
      </LogTools>
      <div
        ref={box}
        className="log"
        role="log"
        aria-label={name}
        aria-live={live ? 'polite' : 'off'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget }) => scrolled(currentTarget)}
      >
        <div ref={content}>
          {shown.length === 0 && (lines.length === 0 ? 'Nothing yet.' : 'No line has this.')}
          {partsOf(shown).map((part) => (
            <Part key={part.from} text={part.text} />
          ))}
        </div>
      </div>
      {!atEnd && (
        <Button className="log-end" size="xs" onClick={toEnd}>
          To the end
        </Button>
      )}
    </div>
  );
}
