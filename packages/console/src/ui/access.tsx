// What a reader without access can do: sign in, or choose a namespace.
import { useConsole } from "../context/console.ts";
import { pageRoute } from "../context/route.ts";

/** Typed, because what may not be listed cannot be offered. */
export function ChooseNamespace() {
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
export function SignIn({ message }: { readonly message: string }) {
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
        Get one with <code>kubectl create token NAME</code>. It stays in the memory of this page until you
        reload it, and is sent to this server only.
      </p>
    </section>
  );
}
