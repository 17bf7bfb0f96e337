// A failed request, in its panel: the server's words, and what can be done about it.
import { useConsole } from "../context/console.ts";
import type { Failure } from "../data/client.ts";
import type { Loader } from "../data/load.ts";
import { lazy } from "./lazy.tsx";
import { ErrorPanel, Skeleton } from "./states.tsx";

// Few readers need them.
const SignIn = lazy(async () => (await import("./access.tsx")).SignIn);
const ChooseNamespace = lazy(async () => (await import("./access.tsx")).ChooseNamespace);

interface FailureProps {
  readonly failure: Failure;
  /** What could not be read, as the subject of a sentence. */
  readonly what: string;
  readonly retry: () => void;
}

export function FailurePanel({ failure, what, retry }: FailureProps) {
  const { router } = useConsole();
  if (failure.needs === "token") return <SignIn message={failure.message} />;
  const { title, hint } = wordsOf(failure, what);
  return (
    <ErrorPanel title={title} message={failure.message} hint={hint}>
      {failure.status === 403 && router.route.value.view === "fleet" ? <ChooseNamespace /> : null}
      {failure.needs === "code" ? null : (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </ErrorPanel>
  );
}

interface PendingProps {
  readonly of: Pick<Loader<unknown>, "state" | "reload">;
  /** What is read, as the subject of a sentence. */
  readonly what: string;
  readonly lines: number;
  readonly isThere?: boolean;
}

/** In the place of a document: why it could not be read, else some bars until it is there. */
export function Pending({ of, what, lines, isThere = of.state.value.value !== undefined }: PendingProps) {
  const { failure } = of.state.value;
  if (failure !== undefined) return <FailurePanel failure={failure} what={what} retry={of.reload} />;
  return isThere ? null : <Skeleton lines={lines} />;
}

/** Behind what could not be read. */
const endings: Readonly<Record<number, string>> = {
  404: ": not found",
  410: ": no longer kept",
  429: ": too many requests",
  503: ": the process that decides cannot be reached",
};

const hints: Readonly<Record<number, string>> = {
  0: "The program that serves this page may have stopped. Start it again: kubectl plimsoll console",
  403: "Choose a namespace that you may list.",
};

function wordsOf({ status, needs }: Failure, what: string) {
  if (needs === "code")
    return { title: "This console is not signed in", hint: "Open it again: kubectl plimsoll console" };
  const title = `${what}${endings[status] ?? " could not be read"}`;
  return { title: status === 403 ? `You may not read ${what.toLowerCase()}` : title, hint: hints[status] };
}
