import { Fragment, memo, useEffect, useRef } from 'react';
import { readAnsi } from './ansi.ts';

/** Lines that are laid out together; those out of sight cost nothing (content-visibility in dashboard.css). */
const PART = 200;

function partsOf(log: string): { from: number; text: string }[] {
  const lines = log.split('\n');
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

/**
 * A log as it stands, with its colours. While it grows it stays at its end, unless the reader has scrolled up; a screen
 * reader hears what is added.
 */
export function Log({ text, name, live }: { text: string; name: string; live: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each change of the text
  useEffect(() => {
    const element = box.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [text]);
  return (
    <div
      ref={box}
      className="log"
      role="log"
      aria-label={name}
      aria-live={live ? 'polite' : 'off'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {text === '' ? 'Nothing yet.' : partsOf(text).map((part) => <Part key={part.from} text={part.text} />)}
    </div>
  );
}
