// A button that copies text, and says that it did.
import { useContext, useState } from "preact/hooks";
import { ConsoleContext } from "../context/console.ts";

interface CopyProps {
  readonly label: string;
  readonly text: () => string | Promise<string>;
  readonly class?: string;
  readonly title?: string | undefined;
}

export function Copy({ label, text, class: name = "button", title }: CopyProps) {
  const announcer = useContext(ConsoleContext)?.announcer;
  const [state, set] = useState<"ready" | "copied" | "refused">("ready");
  const copy = async (): Promise<void> => {
    let next: "copied" | "refused" = "copied";
    try {
      await navigator.clipboard.writeText(await text());
    } catch {
      next = "refused";
    }
    set(next);
    announcer?.answer(next === "copied" ? "Copied" : "The browser did not allow it");
    setTimeout(() => set("ready"), 1_500);
  };
  return (
    <button type="button" class={name} title={title} onClick={() => void copy()}>
      {state === "ready" ? label : state === "copied" ? "✓ copied" : "not allowed"}
    </button>
  );
}
