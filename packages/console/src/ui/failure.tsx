// A failed request, in its panel: the server's words, and what can be done about it.
import { useConsole } from "../context/console.ts";
import { pageRoute } from "../context/route.ts";
import type { Failure } from "../data/client.ts";
import type { Loader } from "../data/load.ts";
import { ErrorPanel, Skeleton } from "./states.tsx";

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

/** Asks for a bearer token, which is kept in memory until the page is closed. */
function SignIn({ message }: { readonly message: string }) {
  const { client, signedIn } = useConsole();
  return (
    <section class="sign-in" aria-labelledby="sign-in-title">
      <h2 id="sign-in-title">Sign in</h2>
      <p class="error-message">{message}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const token = new FormData(event.currentTarget).get("token");
          event.currentTarget.reset();
          if (typeof token !== "string" || token.trim() === "") return;
          client.useToken(token.trim());
          signedIn.value += 1;
        }}
      >
        <label>
          Token of a user or service account
          <input name="token" type="password" autocomplete="off" spellcheck={false} required />
        </label>
        <button type="submit" class="button primary">
          Sign in
        </button>
      </form>
      <p class="muted">
        For example of <code>kubectl create token NAME</code>. It stays in the memory of this page and is sent
        to this server only; a reload forgets it.
      </p>
    </section>
  );
}
