// What the command passes to the processes of Stryker and to vitest.
import type { Scope } from "./scope.ts";

const variable = "PLIMSOLL_MUTATION";

export function passScope(scope: Scope): void {
  process.env[variable] = JSON.stringify(scope);
}

export function passedScope(): Scope {
  return JSON.parse(process.env[variable] ?? "") as Scope;
}
