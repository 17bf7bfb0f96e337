// Commands by key. Letters are commands only where the reader leaves them on, and never while text is typed.
import { useEffect } from "preact/hooks";

/** A command by its key, with the words of the help. */
export interface KeyCommand {
  readonly key: string;
  readonly does: string;
  readonly run: () => void;
}

/** The commands of the page and of the parts that are shown; the newest part comes first. */
export type KeyMap = ReturnType<typeof createKeyMap>;

export function createKeyMap() {
  const parts: (readonly KeyCommand[])[] = [];
  return {
    add(commands: readonly KeyCommand[]): () => void {
      parts.unshift(commands);
      return () => {
        const at = parts.indexOf(commands);
        if (at >= 0) parts.splice(at, 1);
      };
    },
    list: (): readonly KeyCommand[] => parts.flat(),
    /** Whether a command took the key. */
    press(event: KeyboardEvent, hasLetters: boolean): boolean {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
      if (isTyping(event.target) || (isCharacter(event.key) && !hasLetters)) return false;
      const command = parts.flat().find(({ key }) => key === event.key);
      if (command === undefined) return false;
      event.preventDefault();
      command.run();
      return true;
    },
  };
}

/** A single printable character: what speech input may type by mistake. */
function isCharacter(key: string): boolean {
  return key.length === 1;
}

function isTyping(target: EventTarget | null): boolean {
  if (target === null || !("closest" in target)) return false;
  return (
    (target as Element).closest("input:not([type=checkbox]):not([type=range]), textarea, select") !== null
  );
}

/** The commands of a part, while it is shown. */
export function useKeys(keys: KeyMap, commands: readonly KeyCommand[]): void {
  useEffect(() => keys.add(commands));
}
