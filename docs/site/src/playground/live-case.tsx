// A case of a page, decided in the page: its values can be changed, and the playground opened with it.
import { type Edits, noEdits, paramsOf } from "@plimsoll/console";
import { useMemo, useState } from "preact/hooks";
import { caseOf, readCase } from "./case.ts";
import { fragmentOf } from "./link.ts";
import { CaseOutcome } from "./page-parts.tsx";

interface LiveCaseProps {
  /** YAML of both documents. */
  readonly source: string;
  /** What it is about: the heading above it. */
  readonly label: string;
  /** The page of the playground. */
  readonly playground: string;
}

export function LiveCase({ source, label, playground }: LiveCaseProps) {
  const text = useMemo(() => caseOf(source), [source]);
  const read = useMemo(() => readCase(text), [text]);
  const [edits, setEdits] = useState<Edits>(noEdits);
  if (!read.ok) return null;
  return (
    <div class="live-case">
      <CaseOutcome record={read.record} edits={edits} onEdits={setEdits} isPlayable={false} label={label} />
      <p class="open-link">
        <a href={`${playground}#${fragmentOf({ ...text, edits: paramsOf(edits) })}`}>
          Open this case in the playground
        </a>
      </p>
    </div>
  );
}
