// A page whose code comes when it is first shown.
import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorPanel, Skeleton } from "./states.tsx";

interface Loading<P> {
  readonly page?: ComponentType<P>;
  readonly error?: string;
}

/** `load` is called once, when the page is shown first. */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => VNode {
  let loading: Promise<ComponentType<P>> | undefined;
  return function LazyPage(props: P) {
    const [{ page: Page, error }, set] = useState<Loading<P>>({});
    useEffect(() => {
      loading ??= load();
      loading.then(
        (page) => set({ page }),
        (reason: unknown) => {
          loading = undefined;
          set({ error: reason instanceof Error ? reason.message : String(reason) });
        },
      );
    }, []);
    if (error !== undefined)
      return (
        <ErrorPanel
          title="This page could not be loaded"
          message={error}
          hint="The server may have been updated: reload the page."
        />
      );
    return Page === undefined ? <Skeleton lines={6} /> : <Page {...props} />;
  };
}
