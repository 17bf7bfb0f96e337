// Keeps the address and the route in step with each other.
import { type ReadonlySignal, signal } from "@preact/signals";
import { hrefOf, type Route, readRoute, withParams } from "./route.ts";

/** Where the page is, and how it gets elsewhere. */
export interface Router {
  readonly route: ReadonlySignal<Route>;
  /** `replace`: without an entry of its own in the history. */
  go(route: Route, options?: { readonly replace?: boolean }): void;
  /** The same page with other parameters; typing and sliding replace the entry. */
  set(params: Readonly<Record<string, string | undefined>>, options?: { readonly replace?: boolean }): void;
}

/** The parts of a window that a router needs. */
export type RouterWindow = Pick<Window, "location" | "history" | "addEventListener">;

export function createRouter(window: RouterWindow): Router {
  const route = signal(readRoute(window.location.search));
  window.addEventListener("popstate", () => {
    route.value = readRoute(window.location.search);
  });
  const go: Router["go"] = (next, { replace = false } = {}) => {
    const href = hrefOf(next);
    if (href === hrefOf(route.peek())) return;
    if (replace) window.history.replaceState(null, "", href);
    else window.history.pushState(null, "", href);
    route.value = readRoute(href);
  };
  return {
    route,
    go,
    set: (params, options = { replace: true }) => go(withParams(route.peek(), params), options),
  };
}

/** Whether a click on a link is to be handled here: not one that opens another tab or window. */
export function isPlainClick(event: MouseEvent): boolean {
  const isModified = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  return event.button === 0 && !isModified && !event.defaultPrevented;
}
