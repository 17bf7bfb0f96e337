// Asks for a bearer token, which is kept in memory until the page is closed.
import { useConsole } from "../app/console.ts";

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
        For example of <code>kubectl create token NAME</code>. It stays in the memory of this page and is sent
        to this server only; a reload forgets it.
      </p>
    </section>
  );
}
