// What a part of the page shows while it has no data: that it is read, that there is none, or what went wrong.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Appears after 150 ms, in the place of what comes, so that nothing jumps. */
export function Skeleton({ lines }: { readonly lines: number }) {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class={isShown ? "skeleton" : "skeleton waiting"} role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class={`bar bar-${index % 4}`} />
      ))}
    </div>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}

export function Notes({ notes }: { readonly notes: readonly string[] }) {
  return notes.map((note) => (
    <p class="note" key={note}>
      {note}
    </p>
  ));
}

interface ErrorPanelProps {
  readonly title: string;
  /** In the server's words. */
  readonly message: string;
  readonly hint?: string | undefined;
  readonly children?: ComponentChildren;
}

export function ErrorPanel({ title, message, hint, children }: ErrorPanelProps) {
  return (
    <div class="error-panel" role="alert">
      <p class="error-title">
        <span aria-hidden="true">✕ </span>
        {title}
      </p>
      <p class="error-message">{message}</p>
      {hint === undefined ? null : <p class="error-hint">{hint}</p>}
      {children}
    </div>
  );
}
