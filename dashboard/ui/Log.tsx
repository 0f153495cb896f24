import { Button } from '@mantine/core';
import { Fragment, memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { parseAnsi, stripAnsi } from './ansi.ts';
import { LogToolbar } from './LogToolbar.tsx';

/** Lines per chunk. Chunks outside of the viewport are not laid out (`content-visibility` in dashboard.css). */
const CHUNK_LINES = 200;

function toChunks(lines: readonly string[]): { from: number; text: string }[] {
  const parts: { from: number; text: string }[] = [];
  for (let from = 0; from < lines.length; from += CHUNK_LINES) {
    parts.push({ from, text: lines.slice(from, from + CHUNK_LINES).join('\n') });
  }
  return parts;
}

const LogChunk = memo(({ text }: { text: string }) => (
  <div className="log-part">
    {parseAnsi(text).map(({ text: shown, className }, index) => {
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
  /** Name for screen readers. */
  name: string;
  lines: readonly string[];
  /** True while the log grows: screen readers announce new lines, and the user can pause it. */
  live: boolean;
  paused: boolean;
  pause: (paused: boolean) => void;
  /** File name of the download. */
  fileName: string;
}

/**
 * A log with its ANSI colors; it can be searched, copied and downloaded. A growing log follows its end unless the user has
 * scrolled up.
 */
export function Log({ name, lines, live, paused, pause, fileName }: LogProps) {
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const [searchTerm, setSearchTerm] = useState('');
  const shown = useMemo(() => {
    const low = searchTerm.toLowerCase();
    return low === '' ? lines : lines.filter((line) => stripAnsi(line).toLowerCase().includes(low));
  }, [lines, searchTerm]);
  const content = useRef<HTMLDivElement>(null);
  const lastTop = useRef(0);
  const scrollToEnd = useCallback(() => box.current?.scrollTo({ top: box.current.scrollHeight }), []);
  // Chunks get their final height when they become visible; follow the end through such changes.
  useEffect(() => {
    if (!atEnd || !content.current) return;
    const observer = new ResizeObserver(scrollToEnd);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [atEnd, scrollToEnd]);
  /** Stops following when the user scrolls up, and follows again at the end. */
  const onScroll = ({ scrollTop, scrollHeight, clientHeight }: HTMLDivElement) => {
    if (scrollHeight - scrollTop - clientHeight < 40) setAtEnd(true);
    else if (scrollTop < lastTop.current) setAtEnd(false);
    lastTop.current = scrollTop;
  };
  return (
    <div className="log-box">
      <LogToolbar
        searchTerm={searchTerm}
        search={setSearchTerm}
        matches={searchTerm === '' ? undefined : shown.length}
        text={() => stripAnsi(lines.join('\n'))}
        fileName={fileName}
      >
        {live && (
          <Button size="xs" variant="default" onClick={() => pause(!paused)}>
            {paused ? 'Resume' : 'Pause'}
          </Button>
        )}
      </LogToolbar>
      <div
        ref={box}
        className="log"
        role="log"
        aria-label={name}
        aria-live={live ? 'polite' : 'off'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget }) => onScroll(currentTarget)}
      >
        <div ref={content}>
          {shown.length === 0 && (lines.length === 0 ? 'No output yet.' : 'No matching lines.')}
          {toChunks(shown).map((part) => (
            <LogChunk key={part.from} text={part.text} />
          ))}
        </div>
      </div>
      {!atEnd && (
        <Button className="log-end" size="xs" onClick={scrollToEnd}>
          Jump to latest
        </Button>
      )}
    </div>
  );
}
