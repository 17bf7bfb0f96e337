// A failed request, in its panel: the server's words, and what can be done about it.
import { useConsole } from "../app/console.ts";
import { pageRoute } from "../app/route.ts";
import type { Failure } from "../data/client.ts";
import { SignIn } from "./sign-in.tsx";
import { ErrorPanel } from "./states.tsx";

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

function wordsOf(
  { status, needs }: Failure,
  what: string,
): { readonly title: string; readonly hint?: string } {
  if (needs === "code")
    return { title: "This console is not signed in", hint: "Open it again: kubectl plimsoll console" };
  switch (status) {
    case 0:
      return {
        title: `${what} could not be read`,
        hint: "The program that serves this page may have ended.",
      };
    case 403:
      return {
        title: `You may not read ${what.toLowerCase()}`,
        hint: "Choose a namespace that you may list.",
      };
    case 404:
      return { title: `${what}: there is nothing` };
    case 410:
      return { title: `${what}: not kept any more` };
    case 429:
      return { title: `${what}: too many at once` };
    case 503:
      return { title: `${what}: the process that decides cannot be reached` };
    default:
      return { title: `${what} could not be read` };
  }
}

/** Typed, because what may not be listed cannot be offered. */
function ChooseNamespace() {
  const { router } = useConsole();
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        const ns = new FormData(event.currentTarget).get("ns");
        if (typeof ns === "string" && ns.trim() !== "") router.go(pageRoute("fleet", { ns: ns.trim() }));
      }}
    >
      <label>
        Namespace <input name="ns" autocomplete="off" spellcheck={false} />
      </label>
      <button type="submit" class="button">
        Show
      </button>
    </form>
  );
}
