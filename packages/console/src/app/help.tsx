// The dialog with the keys of the page that is shown, and what a reader can set.
import { useEffect, useRef } from "preact/hooks";
import { useConsole } from "../context/console.ts";
import { sourceText } from "../data/server.ts";

const keyNames: Readonly<Record<string, string>> = { ArrowDown: "↓", ArrowUp: "↑", Enter: "enter" };

export function Help({ onClose }: { readonly onClose: () => void }) {
  const { keys, settings, server } = useConsole();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const commands = Map.groupBy(keys.list(), ({ does }) => does);
  return (
    <dialog class="help" ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl class="keys">
        {[...commands].map(([does, list]) => (
          <div key={does}>
            <dt>
              {list.map(({ key }) => (
                <kbd key={key}>{keyNames[key] ?? key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={settings.keys.value}
          onChange={(event) => {
            settings.keys.value = event.currentTarget.checked;
          }}
        />
        Single-key shortcuts
      </label>
      <p class="muted">{sourceText(server.value)} Nothing here writes to the cluster. Times are UTC.</p>
      <form method="dialog">
        <button class="button primary" type="submit">
          Close
        </button>
      </form>
    </dialog>
  );
}
