// What every part of the page is given.
import { type ReadonlySignal, type Signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Client } from "../data/client.ts";
import type { Fleet } from "../data/fleet.ts";
import type { Server } from "../data/server.ts";
import type { Announcer } from "./announcer.ts";
import type { KeyMap } from "./keys.ts";
import type { Router } from "./router.ts";
import type { Settings } from "./settings.ts";

export interface Console {
  readonly client: Client;
  readonly fleet: Fleet;
  readonly router: Router;
  readonly settings: Settings;
  readonly announcer: Announcer;
  readonly keys: KeyMap;
  readonly server: ReadonlySignal<Server>;
  /** The present, to the second or so: ages follow it. */
  readonly nowMs: ReadonlySignal<number>;
  /** Grows when a token was given: what failed is read again. */
  readonly signedIn: Signal<number>;
}

export const ConsoleContext = createContext<Console | undefined>(undefined);

export function useConsole(): Console {
  const console = useContext(ConsoleContext);
  if (console === undefined) throw new Error("a part of the page outside of it");
  return console;
}
