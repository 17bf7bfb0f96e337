// What a reader prefers, kept in the browser: theme and keys, and nothing of the cluster.
import { effect, type Signal, signal } from "@preact/signals";

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

export interface Settings {
  readonly theme: Signal<Theme>;
  /** Whether single letters are commands (WCAG 2.1.4). */
  readonly keys: Signal<boolean>;
}

const storageKey = "plimsoll-console";

/** The parts of a storage that are used; a browser may refuse both. */
export type SettingsStorage = Pick<Storage, "getItem" | "setItem">;

export function createSettings(storage: SettingsStorage | undefined): Settings {
  const saved = read(storage);
  const settings: Settings = {
    theme: signal(themes.find((theme) => theme === saved["theme"]) ?? "auto"),
    keys: signal(saved["keys"] !== false),
  };
  effect(() => {
    const text = JSON.stringify({ theme: settings.theme.value, keys: settings.keys.value });
    try {
      storage?.setItem(storageKey, text);
    } catch {
      // Full or forbidden: the settings last as long as the page.
    }
  });
  return settings;
}

function read(storage: SettingsStorage | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(storage?.getItem(storageKey) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
