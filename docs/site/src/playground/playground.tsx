// The playground: an HPA and a situation as YAML, what is decided for them, and a link that has it all.
import { type Edits, editsFrom, noEdits, paramsOf } from "@plimsoll/console";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type CaseText, readCase } from "./case.ts";
import { examples } from "./examples.ts";
import { fragmentOf, linkProblem, stateOf } from "./link.ts";
import { CaseOutcome, Editor } from "./page-parts.tsx";

const [first] = examples;
const firstText: CaseText = first?.text ?? { hpa: "", situation: "" };

interface Shown {
  readonly text: CaseText;
  readonly edits: Edits;
  /** Of the link that the page was opened with. */
  readonly problem?: string | undefined;
}

function shownAt(fragment: string): Shown {
  const read = stateOf(fragment);
  if (read === undefined) return { text: firstText, edits: noEdits };
  if (!read.ok) return { text: firstText, edits: noEdits, problem: read.message };
  const { hpa, situation, edits } = read.state;
  return { text: { hpa, situation }, edits: editsFrom(edits) };
}

export function Playground() {
  const [shown, setShown] = useState<Shown>(() => shownAt(location.hash));
  const { text, edits } = shown;
  const setLinked = useLinkedState(setShown);
  const read = useMemo(() => readCase(text), [text]);
  const last = useRef(read);
  if (read.ok) last.current = read;
  const decided = last.current.ok ? last.current.record : undefined;
  const setText = (part: Partial<CaseText>): void => setShown({ text: { ...text, ...part }, edits: noEdits });
  return (
    <div class="playground">
      <Bar shown={shown} onShown={setShown} onLinked={setLinked} />
      <div class="editors">
        <Editor
          label="HorizontalPodAutoscaler"
          hint="autoscaling/v2, as in kubectl apply"
          text={text.hpa}
          problems={read.ok ? [] : read.hpa}
          onText={(hpa) => setText({ hpa })}
        />
        <Editor
          label="Pods and values"
          hint="what the cluster looks like at that moment"
          text={text.situation}
          problems={read.ok ? [] : read.situation}
          onText={(situation) => setText({ situation })}
        />
      </div>
      {read.ok || decided === undefined ? null : (
        <p class="note">Below is the last case without a mistake.</p>
      )}
      {decided === undefined ? null : (
        <CaseOutcome
          record={decided}
          edits={read.ok ? edits : noEdits}
          onEdits={(next) => setShown({ text, edits: next })}
          isPlayable
        />
      )}
    </div>
  );
}

/**
 * Shows the state of each address that the page gets, by a pasted link and by the buttons of the browser. Back from a
 * heading, which has no state, what was edited since stays. @returns what is to be called when the page itself writes
 * a state into its address.
 */
function useLinkedState(onShown: (shown: Shown) => void): (fragment: string) => void {
  const linked = useRef(stateOf(location.hash) === undefined ? "" : location.hash);
  // At once: an effect after the first paint would miss an address that comes right after it.
  useLayoutEffect(() => {
    const open = (): void => {
      const { hash } = location;
      if ((hash !== "" && stateOf(hash) === undefined) || hash === linked.current) return;
      linked.current = hash;
      onShown(shownAt(hash));
    };
    addEventListener("hashchange", open);
    return () => removeEventListener("hashchange", open);
  }, []);
  return (fragment) => {
    linked.current = fragment;
  };
}

interface BarProps {
  readonly shown: Shown;
  readonly onShown: (shown: Shown) => void;
  readonly onLinked: (fragment: string) => void;
}

/** Examples, and the link. */
function Bar({ shown, onShown, onLinked }: BarProps) {
  const id = useId();
  const { text, edits, problem } = shown;
  const chosen = examples.find((example) => isSame(example.text, text))?.id ?? "";
  return (
    <div class="bar-of-page">
      <label for={id}>Example</label>
      <select
        id={id}
        value={chosen}
        onChange={(event) => {
          const example = examples.find((one) => one.id === event.currentTarget.value);
          if (example !== undefined) onShown({ text: example.text, edits: noEdits });
        }}
      >
        {chosen === "" ? <option value="">your own</option> : null}
        {examples.map((example) => (
          <option key={example.id} value={example.id}>
            {example.title}
          </option>
        ))}
      </select>
      <LinkButton shown={{ text, edits }} onLinked={onLinked} />
      {problem === undefined ? null : (
        <p class="failed-text" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** Puts the state into the address, and the address into the clipboard where the browser allows that. */
function LinkButton({ shown: { text, edits }, onLinked }: Pick<BarProps, "shown" | "onLinked">) {
  const [said, say] = useState("");
  const link = async (): Promise<void> => {
    const state = { ...text, edits: paramsOf(edits) };
    const problem = linkProblem(state);
    if (problem !== undefined) {
      say(problem);
      return;
    }
    history.replaceState(history.state, "", `#${fragmentOf(state)}`);
    onLinked(location.hash);
    try {
      await navigator.clipboard.writeText(location.href);
      say("The link is copied.");
    } catch {
      say("The link is in the address bar.");
    }
  };
  return (
    <>
      <button type="button" class="button" onClick={() => void link()}>
        copy link
      </button>
      <span class="note" role="status">
        {said}
      </span>
    </>
  );
}

function isSame(one: CaseText, other: CaseText): boolean {
  return one.hpa === other.hpa && one.situation === other.situation;
}
