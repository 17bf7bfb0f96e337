// Parts of the playground: an editor of YAML with what is wrong in it, and the outcome of a case.
import { type Edits, WhatIfView } from "@plimsoll/console";
import type { DecisionRecord } from "@plimsoll/core";
import { useId } from "preact/hooks";
import type { InputProblem } from "./read-yaml.ts";

interface EditorProps {
  readonly label: string;
  readonly hint: string;
  readonly text: string;
  readonly problems: readonly InputProblem[];
  readonly onText: (text: string) => void;
}

const maxShown = 6;

export function Editor({ label, hint, text, problems, onText }: EditorProps) {
  const id = useId();
  const rows = Math.min(30, Math.max(8, text.split("\n").length + 1));
  return (
    <div class="editor">
      <label for={id}>{label}</label>
      <p id={`${id}-hint`} class="note">
        {hint}
      </p>
      <textarea
        id={id}
        rows={rows}
        value={text}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        wrap="off"
        aria-describedby={`${id}-hint ${id}-problems`}
        aria-invalid={problems.length > 0 ? "true" : undefined}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <div id={`${id}-problems`} role="status">
        {problems.length === 0 ? null : (
          <ul class="problems">
            {problems.slice(0, maxShown).map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                {path === "" ? null : <b>{path}</b>} {message}
              </li>
            ))}
            {problems.length > maxShown ? <li>and {problems.length - maxShown} more</li> : null}
          </ul>
        )}
      </div>
    </div>
  );
}

interface OutcomeProps {
  readonly record: DecisionRecord;
  readonly edits: Edits;
  readonly onEdits: (edits: Edits) => void;
  readonly isPlayable: boolean;
  /** Where a page has several: what this one is about. */
  readonly label?: string;
}

const names = ["as written", "with these values"] as const;

export function CaseOutcome({ record, edits, onEdits, isPlayable, label }: OutcomeProps) {
  const { name = "example", namespace = "default" } = record.input.hpa.metadata ?? {};
  return (
    <WhatIfView
      record={record}
      object={{ resource: "horizontalpodautoscalers", namespace, name }}
      edits={edits}
      onEdits={onEdits}
      names={names}
      isPlayable={isPlayable}
      {...(label === undefined ? {} : { label })}
    />
  );
}
