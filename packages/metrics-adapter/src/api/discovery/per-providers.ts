// Documents that depend on the providers, recomputed when rules are reloaded.
import type { Engine } from "../../backends/prometheus/engine.ts";

type Providers = Pick<Engine, "custom" | "external" | "resource">;

/** Makes something out of the providers, and remakes it when they change: rules change while running. */
export function perProviders<T>(engine: Providers, make: (providers: Providers) => T): () => T {
  let last: { readonly providers: Providers; readonly made: T } | undefined;
  return () => {
    const { custom, external, resource } = engine;
    const known = last?.providers;
    const isSame = known?.custom === custom && known?.external === external && known?.resource === resource;
    if (last !== undefined && isSame) return last.made;
    const providers = { custom, external, resource };
    last = { providers, made: make(providers) };
    return last.made;
  };
}
